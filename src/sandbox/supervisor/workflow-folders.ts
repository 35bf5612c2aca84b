/** The folder that SYMPHONY_WORKFLOW_DIR names: where the project was registered from, else one that the host keeps. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { loadJson, loadText, saveAtomic } from './atomic-file.ts';

const Folders = z.record(z.string(), z.string());

export class WorkflowFolders {
  readonly #own: string;
  readonly #file: string;
  readonly #registered: Map<string, string>;

  /** What was registered before is found again, so that a restart moves no relative `workspace.root`. */
  constructor(stateDirectory: string, registered: ReadonlyMap<string, string>) {
    this.#own = join(stateDirectory, 'workflows');
    this.#file = join(stateDirectory, 'workflow-folders.json');
    const before = Object.entries(this.#load()).filter(([, folder]) => existsSync(folder));
    this.#registered = new Map([...before, ...registered]);
  }

  /** `keep`: over restarts, too; not before the project's WORKFLOW.md is accepted. */
  register(project: string, folder: string, keep: boolean): void {
    this.#registered.set(project, folder);
    if (keep) saveAtomic(this.#file, JSON.stringify({ ...this.#load(), [project]: folder }));
  }

  #load(): Readonly<Record<string, string>> {
    return Folders.safeParse(loadJson(this.#file)).data ?? {};
  }

  /** Writes the WORKFLOW.md in force where nobody else keeps it. */
  open(project: string, workflow: string | null): string {
    const registered = this.#registered.get(project);
    if (registered !== undefined) return registered;
    const folder = join(this.#own, encodeURIComponent(project).replaceAll('.', '%2E'));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, 'WORKFLOW.md');
    if (workflow !== null && loadText(file) !== workflow) saveAtomic(file, workflow);
    return folder;
  }
}
