/** The folder that SYMPHONY_WORKFLOW_DIR names: where the project was registered from, else one that the host keeps. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadText, saveAtomic } from './atomic-file.ts';

export class WorkflowFolders {
  readonly #kept: string;
  readonly #registered: Map<string, string>;

  constructor(stateDirectory: string, registered: ReadonlyMap<string, string>) {
    this.#kept = join(stateDirectory, 'workflows');
    this.#registered = new Map(registered);
  }

  register(project: string, folder: string): void {
    this.#registered.set(project, folder);
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
