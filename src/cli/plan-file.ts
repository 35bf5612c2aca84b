/** What happens to one output file: the present bytes, what is ours in them, what is wanted → an operation. Reads, never writes. */
import { capabilityOf } from '../core/projection/capabilities.ts';
import type { Provider } from '../core/projection/events.ts';
import type { NativeFile } from '../core/projection/native.ts';
import { escapeCommentStarts } from '../core/projection/print-json.ts';
import { printNative } from '../core/projection/print-native.ts';
import { withoutByteOrderMark } from '../core/projection/source-text.ts';
import { diagnose } from './cli-diagnostic.ts';
import type { CliDiagnostic } from './cli-diagnostic.ts';
import { parseTarget, compactJson, valueOf } from './json-target.ts';
import { hashOf } from './managed-index.ts';
import type { ManagedFile, OwnedEntry } from './managed-index.ts';
import { mergeHooks } from './merge-hooks.ts';
import type { Merged } from './merge-hooks.ts';
import { mergeNotify, notifyEntry } from './merge-notify.ts';
import { checkNative } from './native-check.ts';
import type { Repository } from './repository.ts';
import type { Result } from '../core/result.ts';
import { decodeText } from './text-file.ts';

type Action = 'create' | 'update' | 'delete' | 'noop';

export interface Operation {
  action: Action;
  path: string;
  provider: Provider;
  /** `undefined`: there is no such file before, or after. */
  before: string | undefined;
  after: string | undefined;
  /** What somebody else changed in it. */
  drift?: string;
}

export interface FilePlan {
  operation: Operation | undefined;
  /** What the index says about the file afterwards; nothing when nothing of ours is left. */
  record: ManagedFile | undefined;
  diagnostics: CliDiagnostic[];
}

export interface FileRequest {
  repository: Repository;
  path: string;
  provider: Provider;
  desired: NativeFile | undefined;
  /** What the index says: the last finished apply, then the interrupted one. */
  records: readonly ManagedFile[];
}

export const planFile = (request: FileRequest): FilePlan => {
  const { repository, path } = request;
  const refusal = repository.refusal(path);
  if (refusal !== undefined) return refused(refusal);
  const bytes = repository.read(path);
  const text = bytes && decodeText(bytes);
  if (bytes !== undefined && text === undefined) {
    return refused(diagnose('TARGET_INVALID', `${path} is no UTF-8 text and was left untouched.`, { path }));
  }
  return isShared(request) ? planShared(request, text) : planWhole(request, text);
};

const refused = (...diagnostics: CliDiagnostic[]): FilePlan => ({
  operation: undefined,
  record: undefined,
  diagnostics,
});

const isShared = ({ path, provider, records }: FileRequest): boolean => {
  const { output, sharedPaths } = capabilityOf(provider);
  if (records.some(({ ownership }) => ownership === 'shared')) return true;
  return (output.shared && path === output.path) || sharedPaths.includes(path);
};

const hasOurHash = (text: string, records: readonly ManagedFile[]): boolean => {
  const found = hashOf(text);
  return records.some(({ hash }) => hash === found);
};

const actionFor = (before: string | undefined, after: string | undefined): Action => {
  if (before === after) return 'noop';
  if (before === undefined) return 'create';
  return after === undefined ? 'delete' : 'update';
};

/** A file in which every byte is ours. */
const planWhole = (request: FileRequest, before: string | undefined): FilePlan => {
  const { path, provider, desired, records } = request;
  if (desired === undefined) return planWholeRemoval(request, before);
  const { content } = printNative(desired);
  const isForeign = before !== undefined && before !== content && records.length === 0;
  if (isForeign) {
    const text = `${path} exists and was not written by harness. Move it away, or give the hook another targetPath.`;
    return refused(diagnose('OUTPUT_COLLISION_UNMANAGED', text, { path, provider }));
  }
  const drifted = before !== undefined && before !== content && !hasOurHash(before, records);
  const drift = drifted ? 'somebody changed it since the last apply' : undefined;
  const record: ManagedFile = {
    path,
    provider,
    ownership: 'whole',
    hash: hashOf(content),
    created: true,
    entries: [],
    madeKeys: [],
  };
  return planned(request, before, content, record, drift);
};

const planned = (
  { path, provider }: FileRequest,
  before: string | undefined,
  after: string | undefined,
  record: ManagedFile | undefined,
  drift: string | undefined,
): FilePlan => {
  const operation: Operation = { action: actionFor(before, after), path, provider, before, after };
  if (drift === undefined) return { operation, record, diagnostics: [] };
  const text = `${path}: ${drift}. apply writes it anew; change the hook’s source instead.`;
  const diagnostics = [diagnose('OUTPUT_DRIFT', text, { path, provider })];
  return { operation: { ...operation, drift }, record, diagnostics };
};

/** Only content that we recorded is deleted: the index may be wrong or forged. */
const planWholeRemoval = (request: FileRequest, before: string | undefined): FilePlan => {
  const { path, provider, records } = request;
  if (before === undefined) return refused();
  if (hasOurHash(before, records)) return planned(request, before, undefined, undefined, undefined);
  const text = `${path} is no longer needed, but somebody changed it, so it stays. Delete it by hand if you do not want it.`;
  return refused(diagnose('OUTPUT_LEFT', text, { path, provider }));
};

/** A file that people own: our entries among theirs. */
const planShared = (request: FileRequest, before: string | undefined): FilePlan => {
  const { desired } = request;
  if (before === undefined) return desired === undefined ? refused() : createShared(request, desired);
  const text = withoutByteOrderMark(before);
  const merged = mergeInto(request, text);
  if (!merged.ok) return refused(merged.error);
  const mark = before.slice(0, before.length - text.length);
  return finishShared(request, before, mark, merged.value);
};

const createShared = (request: FileRequest, desired: NativeFile): FilePlan => {
  const { path, provider } = request;
  const { content } = printNative(desired);
  const record: ManagedFile = {
    path,
    provider,
    ownership: 'shared',
    hash: hashOf(content),
    created: true,
    ...ownedIn(desired),
  };
  return planned(request, undefined, content, record, undefined);
};

const ownedIn = (file: NativeFile): { entries: OwnedEntry[]; madeKeys: string[] } => {
  if (file.format === 'toml') return { entries: [notifyEntry(file.notify)], madeKeys: [] };
  const entries = Object.entries(file.hooks).flatMap(([event, values]) =>
    values.map((value) => ({ event, hash: hashOf(JSON.stringify(value)) })),
  );
  const version = file.provider === 'claude' ? [] : ['version'];
  return { entries, madeKeys: [...version, 'hooks', ...Object.keys(file.hooks)] };
};

const mergeInto = (request: FileRequest, text: string): Result<Merged, CliDiagnostic> => {
  const { path, provider, desired, records } = request;
  const owned = unionOfEntries(records);
  if (provider === 'codex') {
    const notify = desired?.format === 'toml' ? { argv: desired.notify, line: desired.line } : undefined;
    return mergeNotify({ path, text, desired: notify, owned });
  }
  return mergeHooks({
    path,
    text,
    desired: desired?.format === 'json' ? desired.hooks : {},
    wantsVersion: provider !== 'claude',
    owned,
    madeKeys: records.flatMap(({ madeKeys }) => madeKeys),
    transform: provider === 'cursor' ? escapeCommentStarts : (json) => json,
  });
};

/** After an interruption either state may be on disk. Equal entries of both count once. */
const unionOfEntries = (records: readonly ManagedFile[]): OwnedEntry[] => {
  const [first, ...others] = records.map(({ entries }) => entries);
  const union = [...(first ?? [])];
  for (const entries of others) {
    const known = [...union];
    for (const entry of entries) {
      const place = known.findIndex(({ event, hash }) => event === entry.event && hash === entry.hash);
      if (place === -1) union.push(entry);
      else known.splice(place, 1);
    }
  }
  return union;
};

const finishShared = (request: FileRequest, before: string, mark: string, merged: Merged): FilePlan => {
  const { path, provider, records } = request;
  const created = records.some((record) => record.created);
  const mergedText = mark + merged.text;
  const isEmptied = merged.entries.length === 0 && created && hasOurHash(before, records);
  const after = isEmptied ? undefined : mergedText;
  const fault = after === undefined || after === before ? undefined : faultIn(provider, path, merged.text);
  if (fault !== undefined) return refused(fault);
  const record: ManagedFile | undefined =
    merged.entries.length === 0
      ? undefined
      : {
          path,
          provider,
          ownership: 'shared',
          hash: hashOf(mergedText),
          created,
          entries: merged.entries,
          madeKeys: merged.madeKeys,
        };
  // Somebody's own changes elsewhere in the file are no reason to write the index.
  const kept = after === before ? records.find((known) => sameOwnership(known, record)) : undefined;
  const plan = planned(request, before, after, kept ?? record, driftOf(merged, records));
  return {
    ...plan,
    diagnostics: [...plan.diagnostics, ...remarks(request, merged.text, merged.entries.length > 0)],
  };
};

const sameOwnership = (known: ManagedFile, record: ManagedFile | undefined): boolean =>
  record !== undefined &&
  JSON.stringify([known.entries, known.madeKeys, known.created]) ===
    JSON.stringify([record.entries, record.madeKeys, record.created]);

/** While two states are possible, a missing entry says nothing. */
const driftOf = ({ lost, entries }: Merged, records: readonly ManagedFile[]): string | undefined => {
  if (lost.length === 0 || entries.length === 0 || records.length > 1) return undefined;
  const events = new Set(lost.map(({ event }) => event));
  return `somebody changed or removed entries of ${Array.from(events).join(', ')}`;
};

const faultIn = (provider: Provider, path: string, text: string): CliDiagnostic | undefined => {
  if (provider === 'codex' || provider === 'copilot') return undefined;
  const target = parseTarget(path, text);
  if (!target.ok) throw new Error(`The merged ${path} does not parse: ${target.error.message}`);
  const fault = checkNative(provider, JSON.parse(compactJson(target.value.root)));
  if (fault === undefined) return undefined;
  const { name } = capabilityOf(provider);
  const message = `${path} was left untouched: ${fault}, and ${name} would reject the whole file. Correct that entry.`;
  return diagnose('OUTPUT_SCHEMA_INVALID', message, { path, provider });
};

/** Settings of the user that keep our entries from running. */
const remarks = ({ path, provider }: FileRequest, text: string, hasEntries: boolean): CliDiagnostic[] => {
  if (provider !== 'claude' || !hasEntries) return [];
  const diagnostics: CliDiagnostic[] = [];
  const target = parseTarget(path, text);
  if (!target.ok) return diagnostics;
  if (!isPlainJson(text)) {
    const message = `${path} holds comments, and Claude Code ignores such a file. Remove them.`;
    diagnostics.push(diagnose('TARGET_COMMENTS', message, { path, provider }));
  }
  if (valueOf(target.value.root, 'disableAllHooks')?.value === true) {
    const message = `${path} says disableAllHooks, so no hook runs. Remove that setting.`;
    diagnostics.push(diagnose('TARGET_HOOKS_DISABLED', message, { path, provider }));
  }
  return diagnostics;
};

const isPlainJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
