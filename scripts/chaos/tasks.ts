/** The tasks of a run: half of them on the host, half in sandboxes. A key tells which, so that the ledger needs no project. */
import { sandboxId } from '../../src/core/key.ts';

export interface ChaosTask {
  project: (typeof PROJECTS)[number];
  key: string;
  /** Path of its workspace in the API. */
  path: string;
  sandboxId: string;
}

/** A project's id is its location. */
export const PROJECTS = ['host', 'cloudflare'] as const;

export const buildTasks = (count: number): ChaosTask[] =>
  Array.from({ length: count }, (_, index) => {
    const project = PROJECTS[index % PROJECTS.length] ?? 'host';
    const key = `${project}-${index + 1}`;
    const path = `/v1/projects/${project}/workspaces/${key}`;
    return { project, key, path, sandboxId: sandboxId(project, key) };
  });
