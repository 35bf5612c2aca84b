/** The folder that SYMPHONY_WORKFLOW_DIR names: where the project was registered from, else one that the host keeps. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { loadJson, loadText, saveAtomic } from './atomic-file.ts';

const Folders = z.record(z.string(), z.string());

export class WorkflowFolders {
  readonly #kept: string;
  readonly #file: string;
  readonly #registered: Map<string, string>;

  /** What was registered before is found again, so that a restart moves no relative `workspace.root`. */
  constructor(stateDirectory: string, registered: ReadonlyMap<string, string>) {
    this.#kept = join(stateDirectory, 'workflows');
    this.#file = join(stateDirectory, 'workflow-folders.json');
    const before = Object.entries(Folders.safeParse(loadJson(this.#file)).data ?? {});
    this.#registered = new Map([...before.filter(([, folder]) => existsSync(folder)), ...registered]);
  }

  register(project: string, folder: string): void {
    this.#registered.set(project, folder);
    saveAtomic(this.#file, JSON.stringify(Object.fromEntries(this.#registered)));
  }

  /** Writes the WORKFLOW.md in force where nobody else keeps it. */
  open(project: string, workflow: string | null): string {
    const registered = this.#registered.get(project);
    if (registered !== undefined) return registered;
    const folder = join(this.#kept, encodeURIComponent(project).replaceAll('.', '%2E'));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, 'WORKFLOW.md');
    if (workflow !== null && loadText(file) !== workflow) saveAtomic(file, workflow);
    return folder;
  }
}
