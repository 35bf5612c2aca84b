/** `harness add hook`: a source to start from, and its entry in the manifest. A source that lies there already is adopted as it is. */
import { isHookId } from '../../core/projection/load-entity.ts';
import type { Run } from '../invocation.ts';
import { printManifest } from '../manifest.ts';
import { done, misuse, refuse, refuseWith } from '../outcome.ts';
import { MANIFEST_PATH, sourcePath } from '../repository.ts';
import { openRepository } from '../workspace-state.ts';
import { writeState } from '../write-state.ts';

/** Valid and without effect: a scaffold with a command would deny every tool call in Copilot until the script exists. */
const SCAFFOLD = `${JSON.stringify(
  { mode: 'best_effort', events: { pre_tool_use: [], post_tool_use: [], turn_complete: [] } },
  undefined,
  2,
)}\n`;

const NEXT = `It does nothing yet. Put a handler into an event, such as
  "pre_tool_use": [{ "type": "command", "matcher": "Bash|Shell", "command": "./scripts/guard.sh" }]
then run: harness plan`;

export const runAddHook: Run = ({ names }, io) => {
  const id = names[0] as string;
  if (!isHookId(id))
    return misuse(
      `'${names[0]}' is no hook id. Use letters, digits, '.', '_' and '-'; not '.' or '..' alone.`,
    );
  const opened = openRepository(io);
  if (!opened.ok) return refuse(opened.error);
  const { repository, manifest } = opened.value;
  const path = sourcePath(id);
  if (manifest.hookIds.includes(id)) {
    return refuseWith(
      'HOOK_REGISTERED',
      `The hook '${id}' is registered already. Edit ${path}, or choose another id.`,
    );
  }
  const isAdopted = repository.has(path);
  const refusal =
    (isAdopted ? undefined : writeState(repository, path, SCAFFOLD)) ??
    writeState(repository, MANIFEST_PATH, printManifest({ ...manifest, hookIds: [...manifest.hookIds, id] }));
  if (refusal !== undefined) return refuse(refusal);
  const data = { id, source: path, adopted: isAdopted };
  if (isAdopted) return { ...done(`registered ${path}, which was there already.`), data };
  return { ...done(`wrote    ${path}`, NEXT), data };
};
