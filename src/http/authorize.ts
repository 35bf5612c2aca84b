/** What an actor may do: a scope for each route, and for tokens of one project nothing of another. */
import type { TokenScope } from '../core/api.ts';
import { type Failure, failure } from '../core/failure.ts';
import type { Actor } from './actor.ts';

const RANK: Record<TokenScope, number> = { read: 0, dispatch: 1, admin: 2 };

/** What of a route matters here. */
export interface Guarded {
  scope: TokenScope;
  path: string;
  /** Without a project in its path, but harmless or filtered for tokens of one project. */
  shared: boolean;
}

/** null: allowed. Another project looks to a project's token as if it did not exist. */
export function refuseActor(actor: Actor, route: Guarded, project: string | undefined): Failure | null {
  if (actor.project !== null && project !== undefined && project !== actor.project)
    return failure('project_not_found', `there is no project ${JSON.stringify(project)} for this token`);
  if (actor.project !== null && project === undefined && !route.shared)
    return failure('forbidden', `this token is limited to the project ${actor.project}`);
  if (RANK[actor.scope] >= RANK[route.scope]) return null;
  return failure(
    'forbidden',
    `this needs a token with scope ${route.scope}; this one has scope ${actor.scope}`,
  );
}
