/** A whole life in the browser: from the wizard to a workspace that is gone, with hooks, terminal and files on the way. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkspaceDetail } from '../../src/core/api.ts';
import { waitFor } from '../../scripts/stack/api-client.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { isShown, TestBrowser } from './browser.ts';

let stack: TestStack;
let browser: TestBrowser;
let page: Page;

beforeAll(async () => {
  stack = await startTestStack();
  browser = await TestBrowser.start(stack.stack);
  page = await browser.signedIn();
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const view = () => stack.api.get<WorkspaceDetail>('/v1/projects/life/workspaces/ABC-1');

test('an empty service explains itself', async () => {
  expect(await isShown(page.getByRole('heading', { name: 'Give every task its own workspace' }))).toBe(true);
});

test('the wizard writes a WORKFLOW.md and creates the project', async () => {
  const url = await stack.server.repository('life', { files: { 'README.md': '# Life\n' } });
  await page.getByRole('link', { name: 'Create a project' }).click();
  await page.getByLabel('Name', { exact: false }).first().fill('life');
  await page.getByLabel('Repository').fill(url);
  await page.getByLabel('Set-up command').fill('for n in 1 2 3; do echo "setting up $n"; sleep 0.3; done');
  const editor = page.getByRole('textbox', { name: 'WORKFLOW.md' });
  await expect.poll(() => editor.innerText()).toContain('root: ~/HarnessWorkspaces/life');
  await expect.poll(() => editor.innerText()).toContain('setting up $n');
  // The machine's own home is not where this test writes.
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(WORKFLOW);
  await page.getByRole('button', { name: 'Create the project' }).click();
  await page.waitForURL('**/projects/life');
  expect(await isShown(page.getByText('No sandbox'))).toBe(true);
});

const WORKFLOW = `---
hooks:
  after_create: |
    for n in 1 2 3; do echo "setting up $n"; sleep 0.3; done
  before_run: |
    printf '\\033[32mgreen\\033[0m light\\n'
agent:
  command: |
    until [ -e "$(git rev-parse --git-dir)/go" ]; do echo waiting; sleep 0.2; done
    git commit --quiet --allow-empty -m 'Work of the agent'
---
`;

test('a dispatched task appears in the list, live', async () => {
  await page.getByRole('button', { name: 'Dispatch a task' }).first().click();
  await page.getByLabel('Task', { exact: true }).fill('ABC-1');
  await page.getByLabel('Title').fill('Greet people');
  await page.getByRole('button', { name: 'Dispatch', exact: true }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'Greet people' });
  await row.getByText('symphony/ABC-1').waitFor();
  expect(await isShown(row.getByText(/agent is working/))).toBe(true);
  await row
    .getByText(/after_create|before_run/)
    .first()
    .waitFor();
});

test('hooks and agent are watched while they run, in colour', async () => {
  await page.getByRole('link', { name: 'ABC-1' }).click();
  await page.waitForURL('**/workspaces/ABC-1');
  const log = page.getByRole('log');
  await log.getByText('setting up 3').waitFor();
  await log.locator('.c2', { hasText: 'green' }).waitFor();
  await log.getByText('agent · running').waitFor();
  await log.getByText('waiting').first().waitFor();
  expect(await isShown(page.locator('.run.busy').getByText('agent', { exact: true }))).toBe(true);
});

test('the terminal warns of the active agent and runs git log', async () => {
  await page.getByRole('tab', { name: 'Terminal' }).click();
  await page.getByText(/An agent is working in this workspace/).waitFor();
  await page.locator('.terminal-bar').getByText('open', { exact: true }).waitFor();
  await page.locator('.xterm').click();
  await page.keyboard.type('touch "$(git rev-parse --git-dir)/go"; sleep 2; git log --oneline | cat\n');
  expect(await isShown(page.locator('.xterm-rows').getByText('Work of the agent'))).toBe(true);
  await waitFor('the attempt to end', view, ({ in_use: inUse }) => !inUse);
});

test('a file is edited and written', async () => {
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByRole('button', { name: 'README.md' }).click();
  const editor = page.getByRole('textbox', { name: 'README.md' });
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('Edited here.\n');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('README.md is written').waitFor();
  const { path } = await view();
  expect(readFileSync(`${path}/README.md`, 'utf8')).toBe('# Life\nEdited here.\n');
});

test('a file that changed meanwhile is not overwritten in silence', async () => {
  const { path } = await view();
  const files = '/v1/projects/life/workspaces/ABC-1/files?path=README.md';
  await fetch(`${stack.stack.url}${files}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${stack.stack.token}`, 'content-type': 'application/octet-stream' },
    body: '# From elsewhere\n',
  });
  await page.getByRole('textbox', { name: 'README.md' }).click();
  await page.keyboard.insertText('mine ');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'The file changed meanwhile' }).waitFor();
  await page.getByRole('button', { name: 'Load the new one' }).click();
  await page.getByText('From elsewhere').waitFor();
  expect(readFileSync(`${path}/README.md`, 'utf8')).toBe('# From elsewhere\n');
});

test('saving shows the commit in the repository', async () => {
  await page.getByRole('button', { name: 'Save now' }).click();
  await page.locator('.toast', { hasText: 'Saving the branch' }).waitFor();
  const saved = await waitFor(
    'the save',
    view,
    ({ saved: { status }, phase }) => status === 'saved' && phase === null,
  );
  await page
    .locator('#head')
    .getByText(saved.head?.slice(0, 8) ?? '-')
    .first()
    .waitFor();
  expect(await isShown(page.locator('#head').getByText('1 changed file'))).toBe(true);
});

test('finishing the task says what happens, then the workspace is gone and its terminal closed', async () => {
  await page.getByRole('button', { name: 'Finish task' }).click();
  await page.getByText('before_remove runs, and the workspace is removed').waitFor();
  await page.getByRole('button', { name: 'Finish the task' }).click();
  await page.locator('#head').getByText('Removed', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Terminal' }).click();
  await page.locator('.terminal-bar').getByText('the workspace is being removed').waitFor();
  await page.goto('/projects/life');
  await page.getByText('0 present, 0 in use').waitFor();
  expect(await page.getByRole('link', { name: 'ABC-1' }).count()).toBe(0);
});

test('no script failed and no policy was broken on the way', () => {
  expect(browser.faults).toEqual([]);
});
