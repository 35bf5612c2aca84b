/** How the pages are: reachable for everybody, small, and quick with much in them. */
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestStack, type TestProject, type TestStack } from '../support/stack.ts';
import { isShown, TestBrowser } from './browser.ts';
import { scrollThrough, sidewaysPx } from './in-page.ts';
import { showLongLog, showManyWorkspaces } from './many.ts';

const FIRST_LOAD_BYTES = 150 * 1024;
/** Of the page's own processor time: what a clock shows depends on what else this machine does. */
const USABLE_CPU_MS = 1_000;
/** Of 60 frames that scroll through all of it. */
const SCROLL_CPU_MS = 1_500;

let stack: TestStack;
let browser: TestBrowser;
let project: TestProject;

beforeAll(async () => {
  stack = await startTestStack({ vars: { DEMO_REPOSITORY: 'https://git.example/demo.git' } });
  browser = await TestBrowser.start(stack.stack);
  project = await stack.project({
    workflow: 'hooks:\n  before_run: echo a line\nagent:\n  command: echo done',
  });
  await project.run('ABC-1', { title: 'Something to do' });
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

/** `P` stands for the project's pages. */
const PAGES: [name: string, address: string, ready: string][] = [
  ['the sign-in page', '/sign-in?next=%2F', '#content'],
  ['the projects', '/', 'h1'],
  ['the wizard', '/new-project', '.cm-content'],
  ['the workspaces', 'P', '#live.on'],
  ['the settings', 'P/settings', '.cm-content'],
  ['a workspace', 'P/workspaces/ABC-1', '.log-line'],
  ['the files', 'P/workspaces/ABC-1#files', '.tree button'],
  ['the terminal', 'P/workspaces/ABC-1#terminal', '.xterm-rows'],
  ['the hooks', '/hooks', '#native figure'],
];

describe('axe finds no serious violation', () => {
  test.each(PAGES)('on %s, light and dark, wide and narrow', async (name, address, ready) => {
    for (const options of [{}, { dark: true, width: 390, height: 844 }]) {
      const page =
        name === 'the sign-in page' ? await browser.page(options) : await browser.signedIn(options);
      await page.goto(address.replace(/^P/, `/projects/${project.id}`));
      await page.locator(ready).first().waitFor();
      expect(await findViolations(page)).toEqual([]);
      expect(await page.evaluate(sidewaysPx)).toBeLessThanOrEqual(0);
      await page.close();
    }
  });
});

interface AxeResult {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Evaluated by the driver, past the page's own policy. */
async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  const { violations } = found as AxeResult;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
}

/** Everything of the main thread; or what a list of ours costs it, without the painting of this browser without a screen. */
const ALL = ['TaskDuration'];
const OURS = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];

/** Processor time of the page's main thread from now on, in milliseconds. */
async function startClock(page: Page, parts: string[]): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const wanted = metrics.filter(({ name }) => parts.includes(name));
    return wanted.reduce((sum, { value }) => sum + value * 1000, 0);
  };
  const startedAtMs = await read();
  return async () => (await read()) - startedAtMs;
}

test('the first load of a list is below 150 KB in gzip, and usable after a second of processor time', async () => {
  const page = await browser.signedIn();
  let bytes = 0;
  page.on('response', (response) => {
    if (response.headers()['content-type']?.startsWith('text/event-stream')) return;
    void response.body().then(
      (body) => (bytes += gzipSync(body).byteLength),
      () => undefined,
    );
  });
  const usedMs = await startClock(page, ALL);
  await page.goto(`/projects/${project.id}`);
  await page.getByText('1 present').waitFor();
  expect(await usedMs()).toBeLessThan(USABLE_CPU_MS);
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
});

test('a log of 100 000 lines keeps few lines in the page, scrolls smoothly, and is searched', async () => {
  const page = await browser.signedIn();
  await showLongLog(page, 100_000);
  await page.goto(`/projects/${project.id}/workspaces/ABC-1`);
  await page.locator('.log-line').first().waitFor();
  const usedMs = await startClock(page, OURS);
  await page.evaluate(scrollThrough, '#log');
  expect(await usedMs()).toBeLessThan(SCROLL_CPU_MS);
  expect(await page.locator('.log-line').count()).toBeLessThan(200);
  await page.getByLabel('Search the log').fill('line 77777 ');
  expect(await isShown(page.locator('.log-line.found', { hasText: 'line 77777 ' }))).toBe(true);
});

test('1 000 workspaces are listed, filtered and scrolled smoothly', async () => {
  const page = await browser.signedIn();
  await showManyWorkspaces(page, project.id, 1_000);
  await page.goto(`/projects/${project.id}`);
  await page.getByText('1,000 present').waitFor();
  const usedMs = await startClock(page, OURS);
  await page.evaluate(scrollThrough, 'html');
  expect(await usedMs()).toBeLessThan(SCROLL_CPU_MS);
  await page.getByLabel('Search workspaces').fill('TASK-77');
  expect(await isShown(page.getByText('11 shown'))).toBe(true);
  await page.getByRole('radio', { name: 'Needs attention' }).check();
  expect(await isShown(page.getByText(/^\d shown/))).toBe(true);
});

test('no script failed and no policy was broken on the way', () => {
  expect(browser.faults).toEqual([]);
});
