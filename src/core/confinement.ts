/** How each script of a workspace is confined, by its location: the table of "where hooks run". */
import type { Hook, Identity } from './lifecycle/state.ts';
import type { WorkflowSettings } from './workflow.ts';

export type Confinement =
  | { kind: 'none' }
  | { kind: 'bubblewrap' }
  | { kind: 'docker'; image: string; network: 'all' | 'none' };

/** Hooks that run around an agent get its network; the others have nobody's work to fetch. */
const IN_ATTEMPT: ReadonlySet<Hook> = new Set(['before_run', 'after_run']);

export function planConfinement(
  { location, isolation }: Pick<Identity, 'location' | 'isolation'>,
  workflow: WorkflowSettings,
  runs: Hook | 'agent',
): Confinement {
  if (location === 'host') return isolation === 'bubblewrap' ? { kind: 'bubblewrap' } : { kind: 'none' };
  if (location === 'cloudflare') return { kind: 'none' };
  if (runs !== 'agent' && workflow.sandboxHooks === 'host') return { kind: 'none' };
  const inAttempt = runs === 'agent' || IN_ATTEMPT.has(runs);
  const network = inAttempt && workflow.network === 'all' ? 'all' : 'none';
  // `checkLocation` lets no WORKFLOW.md without an image come into force here.
  return { kind: 'docker', image: workflow.docker.image ?? '', network };
}
