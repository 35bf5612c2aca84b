/** What a sandbox of location cloudflare may reach, by `network` in WORKFLOW.md. */
import type { Identity } from './lifecycle/state.ts';
import type { Workflow } from './workflow.ts';

/** A name that cannot exist: an empty list would mean no limit. */
const NOWHERE = 'network-none.invalid';
const EVERYWHERE = '*';

/** `also`: the host of the repository, or of the git gateway, while one of our own git operations runs. */
export function planAllowedHosts(network: Workflow['network'], also: string | null): string[] {
  if (network === 'all') return [EVERYWHERE];
  const hosts = [...(network === 'none' ? [] : network.hosts), ...(also === null ? [] : [also])];
  return hosts.length === 0 ? [NOWHERE] : [...new Set(hosts)];
}

/** null: the sandbox can be limited as the workflow wants; else what to do. Limits have to be there when its container starts. */
export function refuseNetwork(
  { location, limited }: Pick<Identity, 'location' | 'limited'>,
  { network }: Workflow,
): string | null {
  if (location !== 'cloudflare' || limited || network === 'all') return null;
  return 'WORKFLOW.md limits `network`, and the sandbox of this workspace was made without limits: remove the workspace, which saves its work, or set `network: all`; then dispatch the task again. The attempt is not retried by itself';
}
