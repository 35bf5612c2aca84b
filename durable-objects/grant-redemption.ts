/** What a git grant is good for at this moment, and with which credential. */
import { secretsOfAuthorization } from './git-credential.ts';
import type { GrantTable } from './grant-table.ts';
import type { HandedSecrets } from './handed-secrets.ts';
import type { ProjectForWorkspace } from './project-for-workspace.ts';
import type { GitGrant } from './rpc.ts';
import type { WorkspaceStore } from './workspace-store.ts';

interface GrantKeeping {
  store: WorkspaceStore;
  grants: GrantTable;
  handed: HandedSecrets;
  projectOf: (project: string) => ProjectForWorkspace;
}

/** null: its operation has ended, or it never was one. A remote may quote the credential: it is masked from here on. */
export async function redeemGrant(
  { store, grants, handed, projectOf }: GrantKeeping,
  hash: string,
): Promise<GitGrant | null> {
  const state = store.load();
  const kind = grants.find(hash, Date.now());
  if (kind === null && grants.reportEnded(hash))
    store.addEvent(Date.now(), 'git-refused', { reason: 'a grant was used after its operation' });
  if (state === null || kind === null || state.identity.repository === null) return null;
  const authorization = await projectOf(state.identity.project).gitAuthorization(
    state.identity.repository.url,
  );
  if (!authorization.ok) return null;
  if (authorization.value !== null) {
    const remembered = await handed.remember(secretsOfAuthorization(authorization.value));
    if (!remembered.ok) return null;
  }
  const { repository, branch, key } = state.identity;
  return {
    operation: kind,
    repositoryUrl: repository.url,
    authorization: authorization.value,
    allowedRefs: { branch, rescuePrefix: `symphony-rescue/${key}/` },
  };
}
