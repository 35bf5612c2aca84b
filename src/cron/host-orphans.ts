/** Folders on the sandbox host without a record: found, reported, and removed where they are provably ours and old. */
import { projectOf, workspaceOf } from '../../durable-objects/stubs.ts';
import type { SweepReport } from '../core/api.ts';
import { judgeFolder } from '../core/cleanup.ts';
import type { SupervisorClient } from '../sandbox/client.ts';
import type { Env } from '../sandbox/env.ts';
import { hostClient } from '../sandbox/host.ts';
import type { InventoryAnswer } from '../sandbox/protocol.ts';

type Folder = InventoryAnswer['workspaces'][number];
type ClaimedFolder = { [Name in keyof Folder]: NonNullable<Folder[Name]> };
type Orphans = SweepReport['orphans'];

/** Each costs a call to its workspace; the others wait for the next tick. */
const MAX_LOOKED_AT = 100;

/** Throws where the host or an object does not answer: the next tick looks again. */
export async function sweepHost(env: Env, deadlineMs: number): Promise<Orphans> {
  const client = hostClient(env);
  if (client === null) return [];
  const inventory = await client.inventory();
  if (inventory.kind !== 'answer') return [];
  const { workspaces } = inventory.value;
  const orphans: Orphans = workspaces.filter((folder) => !isClaimed(folder)).map(reportUnclaimed);
  for (const folder of await findUnrecorded(env, workspaces.filter(isClaimed))) {
    if (Date.now() >= deadlineMs) break;
    const orphan = await judge(env, client, folder);
    if (orphan !== null) orphans.push(orphan);
  }
  return orphans;
}

const isClaimed = (folder: Folder): folder is ClaimedFolder =>
  folder.project !== null && folder.creation_id !== null && folder.claimed_at_ms !== null;

const reportUnclaimed = ({ project, key, directory }: Folder): Orphans[number] => ({
  project,
  key,
  directory,
  removed: false,
  reason: 'nothing proves that it is ours: look at it and move it away',
});

/** Those whose key has no workspace in its project's index, which knows a key before its sandbox is started. */
async function findUnrecorded(env: Env, folders: ClaimedFolder[]): Promise<ClaimedFolder[]> {
  const byProject = Map.groupBy(folders, ({ project }) => project);
  const found = await Promise.all(
    [...byProject].map(async ([project, own]) => {
      const unknown = new Set(await projectOf(env, project).keysWithoutWorkspace(own.map(({ key }) => key)));
      return own.filter(({ key }) => unknown.has(key));
    }),
  );
  return found.flat().slice(0, MAX_LOOKED_AT);
}

async function judge(
  env: Env,
  client: SupervisorClient,
  folder: ClaimedFolder,
): Promise<Orphans[number] | null> {
  const { project, key, directory, creation_id: creationId, claimed_at_ms: claimedAtMs } = folder;
  const ownership = await workspaceOf(env, project, key).ownershipOf(creationId);
  const orphan = judgeFolder(ownership, claimedAtMs, Date.now());
  if (orphan === null) return null;
  const { remove, reason } = orphan;
  if (!remove) return { project, key, directory, removed: false, reason };
  const destroyed = await client.destroy({ creationId, directory });
  if (destroyed.kind === 'answer') return { project, key, directory, removed: true, reason };
  const detail = destroyed.kind === 'refused' ? destroyed.error.detail : destroyed.detail;
  return {
    project,
    key,
    directory,
    removed: false,
    reason: `${reason}, but could not be deleted: ${detail}`,
  };
}
