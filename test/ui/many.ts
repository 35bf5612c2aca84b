/** Much to show: rows that never ran, and a log that no hook wrote. */
import type { Page } from 'playwright-core';
import type { AttemptView, WorkspacePage, WorkspaceView } from '../../src/core/api.ts';

/** The first hook of each attempt has written this many lines. */
export async function showLongLog(page: Page, lines: number): Promise<void> {
  const text = Array.from(
    { length: lines },
    (_, index) => `line ${index} \u001b[32mof a log\u001b[0m that somebody has to read\n`,
  ).join('');
  await page.route('**/attempts/*', async (route) => {
    const attempt = (await (await route.fetch()).json()) as AttemptView;
    const [first, ...others] = attempt.hooks;
    if (!first) throw new Error('the attempt has no hook');
    const stdout = { text, total_bytes: text.length, truncated: false };
    await route.fulfill({ json: { ...attempt, hooks: [{ ...first, stdout }, ...others] } });
  });
}

/** The list of this page answers made-up workspaces, in pages as the service does. */
export async function showManyWorkspaces(page: Page, project: string, count: number): Promise<void> {
  let template: WorkspaceView | null = null;
  await page.route(`**/v1/projects/${project}/workspaces?*`, async (route) => {
    const address = new URL(route.request().url());
    template ??= await readOne(page, `${address.origin}${address.pathname}/ABC-1`);
    const limit = Number(address.searchParams.get('limit') ?? 50);
    const from = Number(address.searchParams.get('cursor') ?? 0);
    const size = Math.max(0, Math.min(limit, count - from));
    const one = template;
    const workspaces = Array.from({ length: size }, (_, index) => makeUp(one, from + index));
    const next = from + limit < count ? String(from + limit) : null;
    await route.fulfill({ json: { workspaces, next_cursor: next } satisfies WorkspacePage });
  });
}

const readOne = async (page: Page, url: string): Promise<WorkspaceView> =>
  (await (await page.request.get(url)).json()) as WorkspaceView;

const STATUSES = ['ready', 'running', 'ready', 'kept', 'ready', 'creating', 'ready', 'failed'] as const;
const SAVED = ['saved', 'saved', 'unsaved', 'failed', 'nothing_to_save', 'unknown', 'diverged'] as const;
const WORDS = ['Greet people', 'Fix the build', 'Paint the shed', 'Sort invoices', 'Write the manual'];

function makeUp(template: WorkspaceView, index: number): WorkspaceView {
  const identifier = `TASK-${index}`;
  const status = STATUSES[index % STATUSES.length] ?? 'ready';
  const isBusy = status === 'running' || status === 'creating';
  const createdAt = new Date(Date.now() - index * 420_000).toISOString();
  return {
    ...template,
    key: identifier,
    branch: `symphony/${identifier}`,
    task: {
      id: identifier,
      identifier,
      title: `${WORDS[index % WORDS.length]} ${index}`,
      state: 'In Progress',
    },
    status,
    phase: status === 'running' ? 'agent' : status === 'creating' ? 'after_create' : null,
    in_use: isBusy,
    saved: { ...template.saved, status: SAVED[index % SAVED.length] ?? 'saved' },
    uncommitted: {
      ...template.uncommitted,
      modified: index % 4,
      checked_at: new Date(Date.now() - (index % 30) * 60_000).toISOString(),
    },
    attempt_count: (index % 5) + 1,
    created_at: createdAt,
    updated_at: createdAt,
  };
}
