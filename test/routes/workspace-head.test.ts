import { renderToString } from 'hono/jsx/dom/server';
import { expect, test } from 'vitest';
import type { WorkspaceDetail } from '../../src/core/api.ts';
import { workspaceExample } from '../../src/routes/examples.ts';
import { WorkspaceHead } from '../../src/ui/parts/workspace-head.tsx';

const headOf = (more: Partial<WorkspaceDetail>): string => {
  const workspace = { ...workspaceExample, location: 'host' as const, path: '/home/ada/shop/ABC-1', ...more };
  return renderToString(WorkspaceHead({ workspace, nowMs: Date.parse(workspace.updated_at) }));
};

test("a folder on a person's machine can be opened until it is removed", () => {
  expect(headOf({ status: 'ready' })).toContain('Open in VS Code');
  const removed = headOf({ status: 'removed' });
  expect(removed).toContain('is gone');
  expect(removed).not.toMatch(/Open in VS Code|copy-path/);
});
