import { renderToString } from 'hono/jsx/dom/server';
import { expect, test } from 'vitest';
import type { ProjectView } from '../../src/core/api.ts';
import { projectExample, workspaceExample } from '../../src/routes/examples.ts';
import { ProjectHead } from '../../src/ui/pages/project-head.tsx';
import { WorkspaceHead } from '../../src/ui/parts/workspace-head.tsx';

const warnings: ProjectView['warnings'] = [
  { code: 'snapshots_unavailable', message: 'this deployment has no snapshot store' },
];
const SAID = '<strong>No snapshots</strong><span>This deployment has no snapshot store.</span>';

test('the pages of a project and of a workspace say that there are no snapshots', () => {
  const project = { ...projectExample, warnings };
  expect(renderToString(ProjectHead({ project, tab: 'workspaces' }))).toContain(SAID);
  const workspace = { ...workspaceExample, warnings };
  expect(renderToString(WorkspaceHead({ workspace, nowMs: Date.parse(workspace.updated_at) }))).toContain(
    SAID,
  );
});
