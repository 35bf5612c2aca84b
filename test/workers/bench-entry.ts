/**
 * The benchmark's Worker: as deployed, but a project can be given any number of workspaces, `POST /bench/{project}/{key}/{count}`,
 * and `GET /bench/{project}` answers how many calls the Worker sent to the sandbox host (a proxy between them that counts would
 * cost time) and how many rows a sweep of the project reads that finds nothing to remove.
 */
import { ProjectStore } from '../../durable-objects/project-store.ts';
import { Project as DeployedProject } from '../../durable-objects/project.ts';
import type { WorkspaceView } from '../../src/core/api.ts';
import type { Env } from '../../src/sandbox/env.ts';
import worker from '../../src/worker.ts';
import { countRowsRead, lookForWork } from './rows-read.ts';

export { ContainerProxy, Directory, LimitedSandbox, Sandbox, Workspace } from '../../src/worker.ts';

export class Project extends DeployedProject {
  /** Rows of the index as workspaces report them: the one of `key`, under other names. */
  copyWorkspace(key: string, count: number): void {
    const store = new ProjectStore(this.ctx.storage);
    const row = store.rowByKey(key);
    if (row?.view === null || row?.view === undefined) throw new Error(`${key} has not reported yet`);
    const view = JSON.parse(row.view) as WorkspaceView;
    this.ctx.storage.transactionSync(() => {
      for (let number = 0; number < count; number += 1) addCopy(store, view, `COPY-${number}`);
    });
  }

  rowsReadBySweep(): number {
    return countRowsRead(this.ctx.storage, lookForWork);
  }
}

function addCopy(store: ProjectStore, view: WorkspaceView, key: string): void {
  const { state } = view.task;
  const sandboxId = `ws-${key}`;
  store.reserve({ key, taskId: key, idGiven: true, identifier: key, sandboxId, taskState: state, atMs: 1 });
  const task = { ...view.task, id: key, identifier: key };
  store.report({
    view: { ...view, key, task },
    generation: 1,
    version: 1,
    terminal: false,
    idGiven: true,
  });
}

let calls = 0;
const send = globalThis.fetch;
globalThis.fetch = (...request) => {
  calls += 1;
  return send(...request);
};

export default {
  async fetch(request, env, context) {
    const [, bench, project = '', key = '', count] = new URL(request.url).pathname.split('/');
    if (bench !== 'bench') return worker.fetch(request, env, context);
    const stub = env.PROJECT.getByName(project) as unknown as DurableObjectStub<Project>;
    if (request.method === 'GET')
      return Response.json({ calls, rows_read_by_sweep: await stub.rowsReadBySweep() });
    await stub.copyWorkspace(key, Number(count));
    return new Response(null, { status: 204 });
  },
} satisfies ExportedHandler<Env>;
