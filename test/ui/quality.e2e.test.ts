/** How the pages are: reachable for everybody, small, and quick with much in them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestStack, type TestProject, type TestStack } from '../support/stack.ts';
import { TestBrowser } from './browser.ts';
import { longestFrameMs, sidewaysPx } from './in-page.ts';
import { showManyWorkspaces, writeLongLog } from './many.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const FIRST_LOAD_BYTES = 150 * 1024;
const USABLE_MS = 1_000;
/** This machine does other things beside. */
const SLACK = 3;

let stack: TestStack;
let browser: TestBrowser;
let project: TestProject;

beforeAll(async () => {
  stack = await startTestStack({ vars: { DEMO_REPOSITORY: 'https://git.example/demo.git' } });
  browser = await TestBrowser.start(stack.stack);
  project = await stack.project({
    workflow: `hooks:\n  before_run: ${JSON.stringify(writeLongLog(100_000))}\nagent:\n  command: "echo done"`,
  });
  await project.run('ABC-1', { title: 'Something to do' });
});

afterAll(async () => {
  await browser.close();
  await stack.stop();
});

const PAGES = (): [name: string, address: string, ready: string][] => [
  ['the sign-in page', '/sign-in?next=%2F', '#content'],
  ['the projects', '/', 'h1'],
  ['the wizard', '/new-project', '.cm-content'],
  ['the workspaces', `/projects/${project.id}`, '#live.on'],
  ['the settings', `/projects/${project.id}/settings`, '.cm-content'],
  ['a workspace', `/projects/${project.id}/workspaces/ABC-1`, '.log-line'],
  ['the files', `/projects/${project.id}/workspaces/ABC-1#files`, '.tree button'],
  ['the terminal', `/projects/${project.id}/workspaces/ABC-1#terminal`, '.xterm-rows'],
  ['the hooks', '/hooks', '#native figure'],
];

describe('axe finds no serious violation', () => {
  test.each(PAGES().map(([name]) => name))('on %s, light and dark, wide and narrow', async (name) => {
    const [, address, ready] = PAGES().find(([other]) => other === name) ?? ['', '', ''];
    for (const options of [{}, { dark: true, width: 390, height: 844 }]) {
      const page =
        name === 'the sign-in page' ? await browser.page(options) : await browser.signedIn(options);
      await page.goto(address);
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
  await page.evaluate(AXE);
  const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  const { violations } = found as AxeResult;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
}

test('the first load of a workspace is below 150 KB in gzip, and usable within a second', async () => {
  const page = await browser.signedIn();
  let bytes = 0;
  page.on('response', (response) => {
    if (response.headers()['content-type']?.startsWith('text/event-stream')) return;
    void response.body().then(
      (body) => (bytes += gzipSync(body).byteLength),
      () => undefined,
    );
  });
  const startedAt = performance.now();
  await page.goto(`/projects/${project.id}`);
  await page.locator('#live.on').waitFor();
  const usableMs = performance.now() - startedAt;
  await page.waitForLoadState('networkidle').catch(() => undefined);
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
  expect(usableMs).toBeLessThan(USABLE_MS * SLACK);
});

test('a log of 100 000 lines scrolls and is searched without a long pause', async () => {
  const page = await browser.signedIn();
  await page.goto(`/projects/${project.id}/workspaces/ABC-1`);
  await page.locator('.log-line').first().waitFor();
  const log = page.getByRole('log');
  await log
    .getByText('left out')
    .first()
    .waitFor({ state: 'attached' })
    .catch(() => undefined);
  const frameMs = await page.evaluate(longestFrameMs, '#log');
  expect(frameMs).toBeLessThan(250 * SLACK);
  expect(await page.locator('.log-line').count()).toBeLessThan(200);
  await page.getByLabel('Search the log').fill('line 99999');
  await page.locator('.log-line.found', { hasText: 'line 99999' }).waitFor();
});

test('1 000 workspaces are listed, filtered and scrolled without a long pause', async () => {
  const page = await browser.signedIn();
  await showManyWorkspaces(page, project.id, 1_000);
  await page.goto(`/projects/${project.id}`);
  await page.getByText('1,000 present').waitFor();
  const frameMs = await page.evaluate(longestFrameMs, 'html');
  expect(frameMs).toBeLessThan(250 * SLACK);
  await page.getByLabel('Search workspaces').fill('TASK-77');
  await page.getByText('11 shown').waitFor();
  await page.getByText('Needs attention').click();
  await page.getByText(/^\d+ shown/).waitFor();
});

test('no script failed and no policy was broken on the way', () => {
  expect(browser.faults).toEqual([]);
});
