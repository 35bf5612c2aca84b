/** Findings about source text get the line and column that their pointer stands for. Only runs when there is something to say. */
import type { HookDiagnostic } from './diagnostic.ts';
import type { HookEntity } from './model.ts';
import { locatePointers, positionsIn, withoutByteOrderMark } from './source-text.ts';

/** Codes whose pointer names a member because of its key. */
const KEY_FAULTS: ReadonlySet<string> = new Set(['HOOK_EVENT_UNKNOWN', 'HOOK_FIELD_UNKNOWN']);

export const addPositions = (entities: readonly HookEntity[], findings: readonly HookDiagnostic[]): void => {
  if (findings.length === 0 || entities.every(({ source }) => source === undefined)) return;
  const byEntity = Map.groupBy(findings.filter(isInDocument), ({ entityId }) => entityId);
  for (const { id, source } of entities) {
    const own = byEntity.get(id);
    if (source !== undefined && own !== undefined) addToSource(withoutByteOrderMark(source), own);
  }
};

const isInDocument = ({ code, line, pointer }: HookDiagnostic): boolean =>
  line === undefined && pointer !== undefined && code !== 'HOOK_OVERRIDE_INVALID';

const addToSource = (text: string, findings: readonly HookDiagnostic[]): void => {
  const offsets = locatePointers(text, new Set(findings.map(({ pointer }) => pointer ?? '')));
  const position = positionsIn(text);
  for (const finding of findings) {
    const offset = offsets.get(finding.pointer ?? '');
    if (offset === undefined) continue;
    Object.assign(finding, position(KEY_FAULTS.has(finding.code) ? offset.key : offset.value));
  }
};
