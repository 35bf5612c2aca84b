/** The list of workspaces: all of them, live, filtered and searched in the browser. */
import { createRoot } from 'hono/jsx/dom/client';
import type { WorkspacePage, WorkspaceView } from '../../core/api.ts';
import { type Filter, passes, searchText, WorkspaceRow } from '../parts/workspace-row.tsx';
import { call, projectPath } from './api.ts';
import { dispatchTask } from './dispatch.ts';
import { byId, debounce, element, onAction, oncePerFrame, pageData } from './dom.ts';
import { openLive } from './live.ts';
import { attempt } from './toast.ts';

/** Beyond this a list helps nobody; the API pages through all. */
const MAX_ROWS = 5_000;
const PAGE = 200;
/** Ages and "as of" move on by themselves. */
const TICK_MS = 10_000;

interface Row {
  workspace: WorkspaceView;
  text: string;
  element: HTMLLIElement;
  render: (workspace: WorkspaceView) => void;
}

const project = pageData('project');
const rows = new Map<string, Row>();
const visible = new Set<Element>();
const list = () => byId('workspaces');
/** The rows are ours, no longer the server's. */
let isOurs = false;
let isWhole = false;
/** What changed before the first rows were ours. */
const early: WorkspaceView[] = [];

export function start(): void {
  onAction({ dispatch: () => void dispatchAndOpen() });
  const show = oncePerFrame(showMatching);
  byId('search').addEventListener('input', debounce(80, show));
  for (const radio of document.querySelectorAll('input[name=filter]')) radio.addEventListener('change', show);
  openLive({
    url: projectPath(project, '/events'),
    onOpen: () => void attempt(loadAll),
    on: { workspace: (data) => takeLive(data as WorkspaceView) },
  });
  setInterval(tick, TICK_MS);
}

async function dispatchAndOpen(): Promise<void> {
  const sent = await dispatchTask(project);
  if (sent) takeLive(sent.workspace);
}

/** Page by page: the first ones are there before the last ones are asked for. */
async function loadAll(): Promise<void> {
  const seen = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null && seen.size < MAX_ROWS;) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: WorkspacePage = await call('GET', projectPath(project, `/workspaces?limit=${PAGE}${query}`));
    for (const workspace of page.workspaces) seen.add(idOf(workspace));
    if (!isOurs) list().replaceChildren();
    take(page.workspaces, 'loaded');
    if (!isOurs) {
      isOurs = true;
      take(early.splice(0), 'live');
    }
    cursor = page.next_cursor;
  }
  isWhole = true;
  for (const [id, row] of rows) if (!seen.has(id) && seen.size < MAX_ROWS) drop(id, row);
  showMatching();
}

function takeLive(workspace: WorkspaceView): void {
  if (isOurs) take([workspace], 'live');
  else early.push(workspace);
}

function drop(id: string, row: Row): void {
  row.element.remove();
  rows.delete(id);
}

/** A key comes back with a new workspace after a removal; both stay in the list. */
const idOf = ({ key, created_at: createdAt }: WorkspaceView): string => `${key} ${createdAt}`;

function take(workspaces: readonly WorkspaceView[], how: 'loaded' | 'live'): void {
  for (const workspace of workspaces) {
    const row = rows.get(idOf(workspace));
    if (row && row.workspace.updated_at > workspace.updated_at) continue;
    if (row) change(row, workspace, how);
    else add(workspace, how);
  }
  scheduleShow();
}

const scheduleShow = oncePerFrame(() => showMatching());

function add(workspace: WorkspaceView, how: 'loaded' | 'live'): void {
  const item = element('li', { className: 'row' });
  const root = createRoot(item);
  const render = (shown: WorkspaceView) => root.render(<WorkspaceRow workspace={shown} nowMs={Date.now()} />);
  rows.set(idOf(workspace), { workspace, text: searchText(workspace), element: item, render });
  render(workspace);
  if (how === 'live' || isWhole) list().prepend(item);
  else list().append(item);
  watchVisibility.observe(item);
}

function change(row: Row, workspace: WorkspaceView, how: 'loaded' | 'live'): void {
  row.workspace = workspace;
  row.text = searchText(workspace);
  row.render(workspace);
  if (how === 'loaded') return;
  row.element.classList.remove('changed');
  requestAnimationFrame(() => row.element.classList.add('changed'));
}

const watchVisibility = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries)
    if (isIntersecting) visible.add(target);
    else visible.delete(target);
});

function tick(): void {
  for (const row of rows.values()) if (visible.has(row.element)) row.render(row.workspace);
}

function showMatching(): void {
  const words = byId<HTMLInputElement>('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const filter = (document.querySelector<HTMLInputElement>('input[name=filter]:checked')?.value ??
    'all') as Filter;
  let shown = 0;
  for (const row of rows.values()) {
    const isShown = passes(row.workspace, filter) && words.every((word) => row.text.includes(word));
    row.element.hidden = !isShown;
    if (isShown) shown += 1;
  }
  byId('count').textContent = describeCount(shown);
  byId('empty').hidden = !isWhole || rows.size > 0;
}

function describeCount(shown: number): string {
  if (rows.size === 0) return '';
  const all = [...rows.values()].filter(({ workspace }) => workspace.status !== 'removed').length;
  const inUse = [...rows.values()].filter(({ workspace }) => workspace.in_use).length;
  const present = `${all.toLocaleString('en')} present, ${inUse} in use`;
  return shown === all ? present : `${shown.toLocaleString('en')} shown · ${present}`;
}
