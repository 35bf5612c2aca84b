/** What goes wrong is shown where it can't be missed. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { isGone, isShown, TestBrowser } from './browser.ts';
import { setHidden } from './in-page.ts';

let stack: TestStack;
let browser: TestBrowser;

beforeAll(async () => {
  stack = await startTestStack();
  browser = await TestBrowser.start(stack.stack);
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

test('without a session every page leads to the sign-in page, and a wrong token is told', async () => {
  const page = await browser.page();
  await page.goto('/new-project');
  expect(new URL(page.url()).pathname).toBe('/sign-in');
  await page.getByLabel('API token').fill('not-the-token');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The API token is not one of this deployment.').waitFor();
  await page.getByLabel('API token').fill(stack.stack.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/new-project');
});

test('the wizard sends the last answer, however fast Enter follows it', async () => {
  const page = await browser.signedIn();
  await page.goto('/new-project');
  await page.getByRole('textbox', { name: 'WORKFLOW.md' }).waitFor();
  await page.getByLabel('Name').fill('hasty');
  await page.getByLabel('Agent command').fill('echo hasty');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByLabel('Agent command').press('Enter');
  const { workflow } = (await sent).postDataJSON() as { workflow: string };
  expect(workflow).toContain('root: ~/HarnessWorkspaces/hasty');
  expect(workflow).toContain('command: |\n    echo hasty');
});

test('a failed hook shows its exit code, its output and the countdown to the next try', async () => {
  const project = await stack.project({
    workflow:
      'hooks:\n  before_run: |\n    echo "no database" >&2; exit 7\nagent:\n  command: "true"\n  max_retry_backoff_ms: 300000',
  });
  const { workspace } = await project.dispatch('broken');
  const page = await browser.signedIn();
  await page.goto(`/projects/${project.id}/workspaces/${workspace.key}`);
  await page.getByText('failed (exit 7)', { exact: true }).waitFor();
  await page.getByRole('log').locator('.stderr', { hasText: 'no database' }).waitFor();
  await page.getByText(/Next try in \d/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await isGone(page.getByText(/Next try/))).toBe(true);
});

test('an invalid WORKFLOW.md is marked as it is typed, refused, and shown until it is fixed', async () => {
  const project = await stack.project({ workflow: 'hooks:\n  before_run: echo fine' });
  const page = await browser.signedIn();
  await page.goto(`/projects/${project.id}/settings`);
  const editor = page.getByRole('textbox', { name: 'WORKFLOW.md' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText('---\nhooks:\n  timeout_ms: 60s\n---\n');
  await page.locator('#workflow-problems').getByText('3:15').waitFor();
  await page.locator('.cm-lint-marker-error').waitFor();
  await page.getByRole('button', { name: 'Save WORKFLOW.md' }).click();
  await page
    .getByRole('status')
    .getByText(/timeout_ms/)
    .waitFor();
  await page.reload();
  await page.getByText('The last upload was refused.').waitFor();
  await expect.poll(() => page.getByRole('textbox', { name: 'WORKFLOW.md' }).innerText()).toContain('60s');
  await page.goto(`/projects/${project.id}`);
  await page.getByText('WORKFLOW.md refused').waitFor();
  await page.goto(`/projects/${project.id}/settings`);
  await page.getByRole('button', { name: 'Show the one in force' }).click();
  await expect
    .poll(() => page.getByRole('textbox', { name: 'WORKFLOW.md' }).innerText())
    .toContain('echo fine');
  await page.getByRole('button', { name: 'Save WORKFLOW.md' }).click();
  await page.getByText('WORKFLOW.md is in force').waitFor();
  await page.getByText('The last upload was refused.').waitFor({ state: 'detached' });
});

test('removing an unsaved workspace names the commits and files that are lost, and asks once', async () => {
  const project = await stack.project({
    repository: null,
    workflow: `agent:
  command: |
    git commit --quiet --allow-empty -m 'A commit nobody else has'
    echo draft > notes.txt`,
  });
  const workspace = await project.run('precious');
  const page = await browser.signedIn();
  // A click that comes before the script waits for it.
  await page.route('**/assets/app.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await page.goto(`/projects/${project.id}/workspaces/${workspace.key}`);
  await page.getByRole('button', { name: 'Remove' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('A commit nobody else has').waitFor();
  await dialog.getByText('notes.txt').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect((await project.view(workspace.key)).status).toBe('ready');
  await page.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove and lose this' }).click();
  await page.locator('#head').getByText('Removed', { exact: true }).waitFor();
  expect((await project.view(workspace.key)).status).toBe('removed');
});

test('a page without a script of its own does not look as if it waited for one', async () => {
  const page = await browser.signedIn();
  await page.goto('/projects/nowhere');
  expect(await isShown(page.locator('body.ready'))).toBe(true);
});

test('a line that may begin a secret is shown all the same, once nothing follows', async () => {
  const project = await stack.project({ workflow: 'agent:\n  command: printf Waiting; sleep 60' });
  await stack.api.call('PUT', project.path('/environment'), { DOOR_KEY: 'Waiting-for-nobody' });
  await project.dispatch('patient');
  const page = await browser.signedIn();
  await page.goto(`/projects/${project.id}/workspaces/patient`);
  expect(await isShown(page.getByRole('log').getByText('Waiting', { exact: true }))).toBe(true);
});

test('a page reconnects after the Worker was restarted and goes on with the log', async () => {
  const project = await stack.project({
    workflow:
      'agent:\n  command: |\n    echo before; until [ -e ../go-on ]; do sleep 0.1; done; echo after; rm ../go-on',
  });
  const { workspace } = await project.dispatch('steady');
  const page = await browser.signedIn();
  await page.goto(`/projects/${project.id}/workspaces/${workspace.key}`);
  const log = page.getByRole('log');
  await log.getByText('before', { exact: true }).waitFor();
  killWorker();
  await page.getByText('reconnecting …').waitFor();
  await page.locator('#live.on').waitFor();
  const { path } = await project.view(workspace.key);
  writeFileSync(`${path}/../go-on`, '');
  await log.getByText('after', { exact: true }).waitFor();
  expect(await log.getByText('before', { exact: true }).count()).toBe(1);
  await page.getByText('Succeeded').waitFor();
});

test('a page from before a deploy says so when a part of it is gone, and a reload brings the new one', async () => {
  const project = await stack.project({ workflow: 'agent:\n  command: "true"' });
  const workspace = await project.run('old-page');
  const page = await browser.signedIn();
  await page.goto(`/projects/${project.id}/workspaces/${workspace.key}`);
  await page.locator('#live.on').waitFor();
  await page.route('**/assets/chunk-*', (route) => route.fulfill({ status: 404, body: 'gone' }));
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByText('edge-harness was updated after this page was opened').waitFor();
  await page.unroute('**/assets/chunk-*');
  await page.getByRole('button', { name: 'Reload' }).click();
  expect(await isShown(page.getByRole('navigation', { name: 'Files' }))).toBe(true);
});

test('a page that nobody looks at lets its stream go, and is up to date when it is looked at again', async () => {
  const project = await stack.project({ workflow: 'agent:\n  command: "true"' });
  const page = await browser.signedIn();
  await page.clock.install();
  await page.goto(`/projects/${project.id}`);
  await page.locator('#live.on').waitFor();
  await page.evaluate(setHidden, true);
  await page.clock.fastForward('01:01');
  await page.locator('#live:not(.on)').waitFor();
  await project.run('meanwhile');
  expect(await page.getByText('meanwhile').count()).toBe(0);
  await page.evaluate(setHidden, false);
  await page.locator('#live.on').waitFor();
  await page.locator('#workspaces').getByText('meanwhile', { exact: true }).first().waitFor();
});

/** The workerd of this process: Miniflare starts another one. */
function killWorker(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = read(pid, 'stat');
    if (new RegExp(`\\) \\S ${process.pid} `).test(stat) && read(pid, 'cmdline').includes('workerd'))
      process.kill(Number(pid), 'SIGKILL');
  }
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

test('no script failed and no policy was broken on the way', () => {
  expect(browser.faults).toEqual([]);
});
