/** Asks the sandbox host whether a `workspace.root` is one of those that it allows, before a WORKFLOW.md comes into force. */
import { failure, type Failure } from '../src/core/failure.ts';
import { err, ok, type Result } from '../src/core/result.ts';
import type { Env } from '../src/sandbox/env.ts';
import { reachSandbox } from './sandbox-access.ts';
import type { Settings } from './settings.ts';

/** No workspace has this key: it opens nothing. */
const PROBE = { key: '-', creation_id: '00000000', claim: false, directory: null, workflow: null } as const;

export async function checkRoot(
  env: Env,
  settings: Settings,
  root: string | null,
): Promise<Result<null, Failure>> {
  if (root === null || settings.location === 'cloudflare') return ok(null);
  const { client } = reachSandbox(env, { location: settings.location, sandboxId: '' });
  const result = await client.open({ ...PROBE, project: settings.id, root });
  if (result.kind === 'refused' && result.error.code === 'workspace_root_refused')
    return err(failure('workspace_root_refused', result.error.detail));
  if (result.kind === 'unreachable')
    return err(failure('sandbox_unavailable', `workspace.root could not be checked: ${result.detail}`));
  return ok(null);
}
