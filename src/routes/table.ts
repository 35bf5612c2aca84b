/** Every route of the API, in the order of the docs. */
import type { Route } from '../http/route.ts';
import { attemptRoutes } from './attempts.ts';
import { credentialRoutes } from './credential.ts';
import { environmentRoutes } from './environment.ts';
import { eventRoutes } from './events.ts';
import { execRoutes } from './exec.ts';
import { fileRoutes } from './files.ts';
import { projectionRoutes } from './projection.ts';
import { projectRoutes } from './projects.ts';
import { serviceRoutes } from './service.ts';
import { sessionRoutes } from './session.ts';
import { taskRoutes } from './tasks.ts';
import { terminalRoutes } from './terminal.ts';
import { tokenRoutes } from './tokens.ts';
import { workflowRoutes } from './workflow.ts';
import { workspaceRoutes } from './workspaces.ts';

export const apiRoutes: Route[] = [
  ...projectRoutes,
  ...workflowRoutes,
  ...environmentRoutes,
  ...credentialRoutes,
  ...taskRoutes,
  ...workspaceRoutes,
  ...eventRoutes,
  ...fileRoutes,
  ...terminalRoutes,
  ...execRoutes,
  ...attemptRoutes,
  ...projectionRoutes,
  ...serviceRoutes,
  ...tokenRoutes,
  ...sessionRoutes,
];
