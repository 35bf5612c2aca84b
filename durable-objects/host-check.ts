/** Asks the sandbox host whether it can do what a project's settings ask of it, before they come into force. */
import { failure, type Failure } from '../src/core/failure.ts';
import { err, ok, type Result } from '../src/core/result.ts';
import type { SupervisorClient } from '../src/sandbox/client.ts';
import type { Env } from '../src/sandbox/env.ts';
import { reachSandbox } from './sandbox-access.ts';
import type { Settings } from './settings.ts';

/** No workspace has this key: it opens nothing. */
const PROBE = { key: '-', creation_id: '00000000', claim: false, directory: null, workflow: null } as const;

export async function checkHost(
  env: Env,
  settings: Settings,
  root: string | null,
): Promise<Result<null, Failure>> {
  if (settings.location === 'cloudflare') return ok(null);
  const { client } = reachSandbox(env, { location: settings.location, sandboxId: '', limited: false });
  const confinement = await checkConfinement(client, settings);
  return confinement.ok && root !== null ? checkRoot(client, settings, root) : confinement;
}

async function checkConfinement(
  client: SupervisorClient,
  settings: Settings,
): Promise<Result<null, Failure>> {
  if (settings.isolation === null) return ok(null);
  const health = await client.health();
  if (health.kind === 'answer' && health.value.confinements.includes(settings.isolation)) return ok(null);
  const why =
    health.kind === 'answer'
      ? 'install bubblewrap there (bwrap on its PATH)'
      : 'the sandbox host does not answer';
  return err(
    failure('location_unavailable', `isolation "${settings.isolation}" is not there on this host: ${why}`),
  );
}

/** `workspace.root` has to lie under one of the launcher's allowed roots: a client must not pick any folder of the machine. */
async function checkRoot(
  client: SupervisorClient,
  settings: Settings,
  root: string,
): Promise<Result<null, Failure>> {
  const result = await client.open({ ...PROBE, project: settings.id, root });
  if (result.kind === 'refused' && result.error.code === 'workspace_root_refused')
    return err(failure('workspace_root_refused', result.error.detail));
  if (result.kind === 'unreachable')
    return err(failure('sandbox_unavailable', `workspace.root could not be checked: ${result.detail}`));
  return ok(null);
}
