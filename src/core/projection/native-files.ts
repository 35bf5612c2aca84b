/** The shares of all providers → their files, with the findings that only show across hooks or across providers. */
import { capabilityOf } from './capabilities.ts';
import { buildClaudeGroups } from './claude.ts';
import { codexArgv, fitsToml, printNotify } from './codex.ts';
import { buildCopilotEntries } from './copilot.ts';
import { buildCursorEntries, clashesWithStdin } from './cursor.ts';
import { shorten } from './diagnostic.ts';
import type { Findings } from './diagnostic.ts';
import { CANONICAL_EVENTS } from './events.ts';
import type { Provider } from './events.ts';
import type { CommandHandler } from './model.ts';
import { buildHooks } from './native.ts';
import type { CommandEvent, NativeFile } from './native.ts';
import type { JsonValue } from './print-json.ts';
import type { Contribution, ProviderShare } from './provider-share.ts';
import { warnToolNames } from './tool-names.ts';

/** No handler left for a provider → no file for it. */
export const buildNativeFiles = (shares: readonly ProviderShare[], findings: Findings): NativeFile[] => {
  const files: NativeFile[] = [];
  for (const share of shares) {
    const file = share.hooks.length === 0 ? undefined : buildNativeFile(share, findings);
    if (file !== undefined) files.push(file);
  }
  reportCollisions(files, findings);
  if (files.some(isReadByOthers)) warnReadTwice(shares, findings);
  return files;
};

const buildNativeFile = (share: ProviderShare, findings: Findings): NativeFile | undefined => {
  const { provider } = share.admission;
  const target = { provider, path: resolvePath(share, findings), entityIds: share.hooks.map(({ id }) => id) };
  if (provider === 'codex') {
    const notify = resolveNotify(share, findings);
    return notify === undefined ? undefined : { ...target, format: 'toml', ...notify };
  }
  warnToolNames(share, findings);
  if (provider === 'cursor') warnCursorStdin(share, findings);
  // Only Codex takes notify handlers, so what the others were given are commands.
  const events = share.events() as readonly CommandEvent[];
  return { ...target, format: 'json', hooks: buildHooks(events, ENTRY_BUILDERS[provider]) };
};

const ENTRY_BUILDERS: Record<
  'claude' | 'copilot' | 'cursor',
  (handlers: readonly CommandHandler[]) => readonly JsonValue[]
> = { claude: buildClaudeGroups, copilot: buildCopilotEntries, cursor: buildCursorEntries };

/** All hooks of a provider go to one file; a hook without an override goes to the default one. */
const resolvePath = (share: ProviderShare, findings: Findings): string => {
  const { capability, provider } = share.admission;
  let first: { path: string; id: string } | undefined;
  for (const hook of share.hooks) {
    const path = hook.overrides.get(provider)?.targetPath ?? capability.output.path;
    first ??= { path, id: hook.id };
    if (path === first.path) continue;
    findings.report(
      provider === 'codex' ? 'CODEX_CONFIG_TARGET_CONFLICT' : 'HOOK_TARGET_CONFLICT',
      { entityId: hook.id, provider },
      `it goes to '${path}', but hook '${first.id}' goes to '${first.path}', and ${capability.name} gets one file. Give both the same targetPath.`,
    );
  }
  return first?.path ?? capability.output.path;
};

const resolveNotify = (
  share: ProviderShare,
  findings: Findings,
): { notify: readonly string[]; line: string } | undefined => {
  let first: { argv: readonly string[]; from: Contribution } | undefined;
  for (const from of share.contributions) {
    const argv = codexArgv(from.handler);
    if (!fitsToml(argv)) {
      const text = 'the command holds half a surrogate pair, which TOML cannot hold. Correct the text.';
      findings.report('HOOK_NOTIFY_COMMAND_INVALID', share.placeOf(from), text);
      continue;
    }
    first ??= { argv, from };
    if (!sameArgv(argv, first.argv)) reportConflict(share, from, first.from, findings);
  }
  if (first === undefined) return undefined;
  const line = printNotify(first.argv);
  findings.report(
    'HOOK_CODEX_NOTIFY_PROJECT_IGNORED',
    { provider: 'codex' },
    `Today’s Codex ignores notify in a project file. Add this line to ~/.codex/config.toml, above the first [table]: ${line}`,
  );
  return { notify: first.argv, line };
};

const sameArgv = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((part, place) => part === b[place]);

const reportConflict = (
  share: ProviderShare,
  second: Contribution,
  first: Contribution,
  findings: Findings,
): void => {
  const other = `hook '${first.hook.id}', event '${first.block.event}', handler #${first.handler.index + 1}`;
  findings.report(
    'HOOK_NOTIFY_CONFLICT',
    share.placeOf(second),
    `its notify command ${shorten(JSON.stringify(codexArgv(second.handler)))} differs from ${shorten(JSON.stringify(codexArgv(first.handler)))} of ${other}, and Codex takes one. Keep one, or call both from one script.`,
  );
};

const warnCursorStdin = (share: ProviderShare, findings: Findings): void => {
  for (const from of share.contributions) {
    if (from.handler.type !== 'command' || !clashesWithStdin(from.handler.shell)) continue;
    findings.report(
      'HOOK_CURSOR_STDIN',
      share.placeOf(from),
      'Cursor appends a heredoc to the command, and this one ends in a comment or holds a heredoc. Move it into a script.',
    );
  }
};

const reportCollisions = (files: readonly NativeFile[], findings: Findings): void => {
  for (const file of files) {
    const owner = files.find((other) => collide(other.path, file.path));
    if (owner !== undefined && owner !== file) reportCollision(file, owner, findings);
  }
};

/** One file, or one would have to be a folder of the other. Without regard to case: on macOS and Windows such paths are one. */
const collide = (a: string, b: string): boolean => {
  if (a.length > b.length) return collide(b, a);
  return (a.length === b.length || b[a.length] === '/') && b.toLowerCase().startsWith(a.toLowerCase());
};

const reportCollision = (file: NativeFile, owner: NativeFile, findings: Findings): void =>
  findings.report(
    'OUTPUT_PATH_COLLISION',
    { entityId: file.entityIds[0], provider: file.provider },
    owner.path.length === file.path.length
      ? `both ${owner.provider} and ${file.provider} go to '${file.path}'. Change the targetPath of one of them.`
      : `${owner.provider} goes to '${owner.path}' and ${file.provider} to '${file.path}', and a file cannot be a folder as well. Change the targetPath of one of them.`,
  );

/** Copilot and Cursor look for Claude's own files, not for one that an override named. */
const isReadByOthers = ({ provider, path }: NativeFile): boolean => {
  const { output, sharedPaths } = capabilityOf('claude');
  return provider === 'claude' && (path === output.path || sharedPaths.includes(path));
};

const READERS: ReadonlySet<Provider> = new Set(['copilot', 'cursor']);

const warnReadTwice = (shares: readonly ProviderShare[], findings: Findings): void => {
  const claude = shares.find(({ admission }) => admission.provider === 'claude');
  const readers = shares.filter(
    ({ admission, hooks }) => READERS.has(admission.provider) && hooks.length > 0,
  );
  if (claude === undefined || readers.length === 0) return;
  const twice = claude.events().filter(({ number }) => readers.some((reader) => reader.has(number)));
  if (twice.length === 0) return;
  const events = twice.map(({ number }) => CANONICAL_EVENTS[number]);
  const names = readers.map(({ admission }) => admission.capability.name);
  findings.report(
    'HOOK_READ_TWICE',
    {},
    `${names.join(' and ')} also ${names.length === 1 ? 'reads' : 'read'} .claude/settings.json, so handlers of ${events.join(', ')} may run twice there. Make them harmless when repeated, or disable one provider by an override.`,
  );
};
