/** The operations that the supervisor performs itself, by kind. */
import type { OperationSpec } from '../protocol.ts';
import { runClone } from './git-clone.ts';
import { runRestore } from './git-restore.ts';
import { runSave } from './git-save.ts';
import { runSnapshot } from './git-snapshot.ts';
import type { OperationEnd } from './operation-record.ts';
import type { Place } from './place.ts';

export type NativeSpec = Exclude<OperationSpec, { kind: 'script' }>;

export type NativeResult = Pick<OperationEnd, 'outcome'> &
  Partial<Pick<OperationEnd, 'detail' | 'clone' | 'save' | 'snapshot' | 'restore'>>;

/** `failed` where the answer itself says so; the answer is there all the same. */
export async function performNative(
  spec: NativeSpec,
  place: Place,
  signal: AbortSignal,
): Promise<NativeResult> {
  switch (spec.kind) {
    case 'clone': {
      const clone = await runClone(spec, place, signal);
      return { ...(clone.ok ? OK : failed(clone.failure.detail)), clone };
    }
    case 'save': {
      const save = await runSave(spec, place, signal);
      const reason = save.failure?.detail ?? 'The branch was not saved.';
      return { ...(save.status === 'failed' ? failed(reason) : OK), save };
    }
    case 'snapshot':
      return { ...OK, snapshot: await runSnapshot(spec, place, signal) };
    case 'restore': {
      const restore = await runRestore(spec, place, signal);
      return { ...(restore.ok ? OK : failed(restore.failure.detail)), restore };
    }
    default:
      return spec satisfies never;
  }
}

const OK: NativeResult = { outcome: 'ok' };

const failed = (detail: string): NativeResult => ({ outcome: 'failed', detail });
