import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { WorkflowFolders } from '../../../src/sandbox/supervisor/workflow-folders.ts';

const state = mkdtempSync(join(tmpdir(), 'eh-workflow-folders-'));
afterAll(() => rmSync(state, { recursive: true, force: true }));

test('a host that is started again names the folder that a project was registered from, while it is there', () => {
  const folder = join(state, 'shop');
  mkdirSync(folder);
  const first = new WorkflowFolders(state, new Map());
  first.register('shop', folder, true);
  first.register('shop', state, false);
  expect(first.open('shop', 'Work.')).toBe(state);
  expect(new WorkflowFolders(state, new Map()).open('shop', 'Work.')).toBe(folder);
  expect(new WorkflowFolders(state, new Map([['shop', '/other']])).open('shop', 'Work.')).toBe('/other');
  rmSync(folder, { recursive: true });
  expect(new WorkflowFolders(state, new Map()).open('shop', 'Work.')).toBe(join(state, 'workflows', 'shop'));
});
