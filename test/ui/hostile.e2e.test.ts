/** Other people's text — a tracker's title, a hook's output, a file's name — is shown and never acted upon. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestStack, type TestProject, type TestStack } from '../support/stack.ts';
import { TestBrowser } from './browser.ts';
import { unicodeBidi } from './in-page.ts';

const MARKUP = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script></script>`;
const TITLE = `${MARKUP} \u202Eesrever "quoted" 'single' &amp; {{7*7}}`;

let stack: TestStack;
let browser: TestBrowser;
let project: TestProject;
let key: string;

beforeAll(async () => {
  stack = await startTestStack();
  browser = await TestBrowser.start(stack.stack);
  project = await stack.project({
    workflow: `hooks:
  before_run: |
    printf '%s\\n' "$SYMPHONY_ISSUE_TITLE"
    printf '\\033]0;owned\\007\\033[2J\\033[31mred\\033[0m \\033]8;;javascript:alert(1)\\007link\\033]8;;\\007\\n'
    printf 'progress 10%%\\rprogress 100%%\\n'
agent:
  command: |
    mkdir -p 'folder <b>bold'
    echo '${MARKUP.replaceAll("'", '')}' > 'folder <b>bold/file.txt'`,
  });
  const workspace = await project.run(`<b>task</b> & ${'x'.repeat(20)}`, { title: TITLE });
  key = workspace.key;
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

test('a hostile title is plain text in the list and on its page', async () => {
  const page = await browser.signedIn();
  await page.goto(`/projects/${project.id}`);
  const row = page.getByRole('listitem').filter({ hasText: 'owned' });
  await row.waitFor();
  await expect.poll(() => row.locator('.title').textContent()).toBe(TITLE);
  await page.goto(`/projects/${project.id}/workspaces/${key}`);
  await page.locator('#live.on').waitFor();
  await expect.poll(() => page.locator('#head .lead').textContent()).toBe(TITLE);
  expect(await page.locator('#head img, #head script, #head b').count()).toBe(0);
  expect(await page.title()).not.toContain('owned');
});

test('hostile output of a hook is plain text: markup, titles, links and screen control do nothing', async () => {
  const page = await browser.signedIn();
  await page.goto(`/projects/${project.id}/workspaces/${key}`);
  const log = page.getByRole('log');
  await log.locator('.c1', { hasText: 'red' }).waitFor();
  expect(await log.innerText()).toContain('<img src=x');
  expect(await log.innerText()).toContain('red link');
  expect(await log.innerText()).toContain('progress 100%');
  expect(await log.innerText()).not.toContain('progress 10%');
  expect(await log.locator('img, script, a').count()).toBe(0);
  expect(await page.title()).not.toContain('owned');
});

test('a mark for right-to-left text turns only its own words around', async () => {
  const page = await browser.signedIn();
  await page.goto(`/projects/${project.id}`);
  // Until then the rows are the server's, and are about to be replaced.
  await page.getByText('1 present').waitFor();
  const row = page.getByRole('listitem').filter({ hasText: 'owned' });
  await expect.poll(() => row.locator('bdi.title').evaluate(unicodeBidi)).toMatch(/isolate/);
});

test('names and contents of files are plain text', async () => {
  const page = await browser.signedIn();
  await page.goto(`/projects/${project.id}/workspaces/${key}#files`);
  await page.getByRole('button', { name: 'folder <b>bold' }).click();
  await page.getByRole('button', { name: 'file.txt' }).click();
  await page.locator('.cm-content', { hasText: '<img src=x' }).waitFor();
  expect(await page.locator('#panel-files img, #panel-files b').count()).toBe(0);
});

test('a project or workspace that is not there is a page that says so', async () => {
  const page = await browser.signedIn();
  const answer = await page.goto('/projects/%3Cscript%3E');
  expect(answer?.status()).toBe(404);
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
});

test('no script of a stranger ran and no policy was broken', () => {
  expect(browser.faults).toEqual([]);
});
