/** Keeps the project's index of workspaces up to date: the newest state, at least once, never an older one after a newer. */
import type { Env } from '../src/sandbox/env.ts';
import { viewWorkspace } from './attempt-reader.ts';
import { projectOf } from './stubs.ts';
import type { WorkspaceStore } from './workspace-store.ts';

const RETRY_MS = 1_000;
const REPORTED = 'reported';

export class IndexReporter {
  readonly #env: Env;
  readonly #store: WorkspaceStore;
  #running: Promise<void> | null = null;

  constructor(env: Env, store: WorkspaceStore) {
    this.#env = env;
    this.#store = store;
  }

  isDone(): boolean {
    return Number(this.#store.meta(REPORTED) ?? 0) >= this.#store.version();
  }

  /** Reports in the background; the alarm repeats what a crash interrupts. */
  notify(): void {
    this.run(Date.now() + RETRY_MS).catch((thrown: unknown) => {
      console.error(JSON.stringify({ at: 'report', error: String(thrown) }));
    });
  }

  /** Joins the run that is under way, whose end may come before: the alarm that is set again then goes on. */
  async run(deadlineAtMs: number): Promise<void> {
    this.#running ??= this.#reportUntil(deadlineAtMs).finally(() => {
      this.#running = null;
    });
    await this.#running;
  }

  async #reportUntil(deadlineAtMs: number): Promise<void> {
    while (!this.isDone() && Date.now() < deadlineAtMs) await this.#reportOnce();
  }

  async #reportOnce(): Promise<void> {
    const state = this.#store.load();
    if (state === null) return;
    const version = this.#store.version();
    try {
      await projectOf(this.#env, state.identity.project).report({
        view: viewWorkspace(state),
        generation: state.generation,
        idGiven: state.task.idGiven,
        terminal: state.task.terminal || state.removalWish !== null,
        version,
      });
      this.#store.setMeta(REPORTED, String(version));
    } catch (thrown) {
      console.error(JSON.stringify({ at: 'report', error: String(thrown) }));
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
