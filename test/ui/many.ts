/** Much to show: rows that never ran, and a hook that writes a long log. */
import type { Page } from 'playwright-core';
import type { WorkspacePage, WorkspaceView } from '../../src/core/api.ts';

/** One shell command; a line as long as logs have them. */
export const writeLongLog = (lines: number): string =>
  `seq -f 'line %.0f of a log that somebody has to read' ${lines}`;

/** The list of this page answers made-up workspaces, in pages as the service does. */
export async function showManyWorkspaces(page: Page, project: string, count: number): Promise<void> {
  await page.route(`**/v1/projects/${project}/workspaces?*`, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const limit = Number(query.get('limit') ?? 50);
    const from = Number(query.get('cursor') ?? 0);
    const response = await route.fetch({
      url: route
        .request()
        .url()
        .replace(/cursor=\d+/, 'cursor='),
    });
    const known = ((await response.json()) as Partial<WorkspacePage>).workspaces?.[0];
    const template = known ?? (await firstOf(page, project));
    const size = Math.max(0, Math.min(limit, count - from));
    const workspaces = Array.from({ length: size }, (_, index) => makeUp(template, from + index));
    const next = from + limit < count ? String(from + limit) : null;
    await route.fulfill({ json: { workspaces, next_cursor: next } satisfies WorkspacePage });
  });
}

let first: WorkspaceView | null = null;

async function firstOf(page: Page, project: string): Promise<WorkspaceView> {
  const answer = await page.request.get(`/v1/projects/${project}/workspaces/ABC-1`);
  first ??= (await answer.json()) as WorkspaceView;
  return first;
}

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
