/** A workspace's page: keeps head and timeline live, follows the log, opens files and terminal on demand. */
import { createRoot } from 'hono/jsx/dom/client';
import type { AttemptView, WorkspaceDetail, WorkspaceView } from '../../core/api.ts';
import { Timeline } from '../parts/timeline.tsx';
import { WorkspaceHead } from '../parts/workspace-head.tsx';
import { call, projectPath } from './api.ts';
import { AttemptLog, type HookEvent, type OutputEvent } from './attempt-log.ts';
import { byId, onAction, oncePerFrame, pageData } from './dom.ts';
import { openLive } from './live.ts';
import { LogView } from './log-view.ts';
import { startTabs } from './tabs.ts';
import { attempt, toast } from './toast.ts';
import { bindWorkspaceActions } from './workspace-actions.ts';

const TICK_MS = 1_000;

export async function start(): Promise<void> {
  const page = new WorkspacePage(pageData('project'), pageData('key'));
  await page.start();
}

class WorkspacePage {
  readonly #project: string;
  readonly #path: string;
  readonly #head = createRoot(emptied('head'));
  readonly #timeline = createRoot(emptied('timeline'));
  readonly #log: AttemptLog;
  #detail: WorkspaceDetail | null = null;
  /** Whoever chose an attempt keeps it; others see the newest. */
  #isPinned = false;
  readonly #draw = oncePerFrame(() => this.#render());

  constructor(project: string, key: string) {
    this.#project = project;
    this.#path = projectPath(project, `/workspaces/${key}`);
    this.#log = new AttemptLog(new LogView(), this.#path);
  }

  async start(): Promise<void> {
    bindWorkspaceActions({
      project: this.#project,
      path: this.#path,
      detail: () => this.#detail,
      refresh: () => void this.#load(),
    });
    onAction({
      'show-log': (button) => {
        this.#isPinned = true;
        void this.#show(Number(button.dataset['attempt']));
      },
      'copy-path': (button) => void copy(button.dataset['path'] ?? ''),
    });
    startTabs({ path: this.#path, workspace: () => this.#detail });
    openLive({
      url: `${this.#path}/events`,
      onOpen: () => {
        void attempt(() => this.#log.restart());
        void this.#load();
      },
      on: {
        workspace: (data) => this.#takeWorkspace(data as WorkspaceView),
        attempt: (data) => this.#takeAttempt(data as AttemptView),
        hook: (data) => this.#takeHook(data as HookEvent),
        output: (data) => this.#log.takeOutput(data as OutputEvent),
        save: () => void this.#load(),
        removal: () => void this.#load(),
      },
    });
    setInterval(() => this.#tick(), TICK_MS);
  }

  async #load(): Promise<void> {
    const detail = await attempt(() => call<WorkspaceDetail>('GET', this.#path));
    if (detail === null) return;
    this.#detail = detail;
    this.#draw();
    await this.#showNewest();
  }

  /** A workspace of the event has no attempts; those that are known stay, unless it began anew. */
  #takeWorkspace(workspace: WorkspaceView): void {
    const isNew = this.#detail !== null && this.#detail.created_at !== workspace.created_at;
    this.#detail = { ...workspace, attempts: isNew ? [] : (this.#detail?.attempts ?? []) };
    const known = this.#detail.attempts.find(({ number }) => number === workspace.last_attempt?.number);
    if (workspace.last_attempt !== null && known?.outcome !== workspace.last_attempt.outcome)
      void this.#load();
    else if (known && known.outcome === null && known.phase !== workspace.phase) {
      const attempts = this.#detail.attempts.map((view) =>
        view === known ? { ...known, phase: workspace.in_use ? workspace.phase : null } : view,
      );
      this.#detail = { ...this.#detail, attempts };
    }
    this.#draw();
  }

  #takeAttempt(view: AttemptView): void {
    if (this.#detail === null) return;
    const others = this.#detail.attempts.filter(({ number }) => number !== view.number);
    const attempts = [view, ...others].sort((a, b) => b.number - a.number);
    this.#detail = { ...this.#detail, attempts };
    this.#draw();
    void this.#showNewest();
  }

  #takeHook(event: HookEvent): void {
    this.#log.takeHook(event);
    void this.#load();
  }

  async #showNewest(): Promise<void> {
    const newest = this.#detail?.attempts[0]?.number ?? null;
    if (newest === null || newest === this.#log.number || (this.#isPinned && this.#log.number !== null))
      return;
    await this.#show(newest);
  }

  async #show(number: number): Promise<void> {
    this.#isPinned &&= number !== this.#detail?.attempts[0]?.number;
    const shown = attempt(() => this.#log.show(number));
    this.#draw();
    await shown;
  }

  /** Countdowns and running times; an idle workspace has none. */
  #tick(): void {
    const detail = this.#detail;
    if (detail === null) return;
    const isMoving =
      detail.in_use || detail.phase !== null || detail.next_retry_at !== null || detail.kept !== null;
    if (isMoving || new Date().getSeconds() % 10 === 0) this.#draw();
  }

  #render(): void {
    const detail = this.#detail;
    if (detail === null) return;
    const nowMs = Date.now();
    this.#head.render(<WorkspaceHead workspace={detail} nowMs={nowMs} />);
    this.#timeline.render(<Timeline attempts={detail.attempts} selected={this.#log.number} nowMs={nowMs} />);
  }
}

/** What the server rendered is shown until the first answer; then it is ours. */
function emptied(id: string): HTMLElement {
  const shown = byId(id);
  const own = document.createElement('div');
  const observer = new MutationObserver(() => {
    observer.disconnect();
    shown.replaceChildren(own);
  });
  observer.observe(own, { childList: true });
  return own;
}

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  toast('Copied');
}
