/** Which projects there are, and the environment that all of them share. One object, named `directory`. */
import { DurableObject } from 'cloudflare:workers';
import type { EnvironmentView, PatchEnvironment } from '../src/core/api.ts';
import type { Failure } from '../src/core/failure.ts';
import type { Result } from '../src/core/result.ts';
import type { Env } from '../src/sandbox/env.ts';
import { ENVIRONMENT_TABLE, EnvironmentTable } from './environment-table.ts';
import { migrate } from './migrations.ts';
import type { Answer, DirectoryRpc, EnvironmentValues } from './rpc.ts';

const SWEEP_POSITION = 'sweep-position';

const MIGRATIONS = [
  `CREATE TABLE project (id TEXT PRIMARY KEY);
   ${ENVIRONMENT_TABLE}`,
];

export class Directory extends DurableObject<Env> implements DirectoryRpc {
  readonly #environment: EnvironmentTable;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, MIGRATIONS);
    this.#environment = new EnvironmentTable(ctx.storage, env, 'global');
  }

  async listProjects(
    limit: number,
    cursor: string | null,
  ): Promise<{ ids: string[]; nextCursor: string | null }> {
    const query = 'SELECT id FROM project WHERE id > ? ORDER BY id LIMIT ?';
    const ids = this.ctx.storage.sql
      .exec<{ id: string }>(query, cursor ?? '', limit + 1)
      .toArray()
      .map(({ id }) => id);
    const page = ids.slice(0, limit);
    return { ids: page, nextCursor: ids.length > limit ? (page.at(-1) ?? null) : null };
  }

  async addProject(project: string): Promise<void> {
    this.ctx.storage.sql.exec('INSERT OR IGNORE INTO project (id) VALUES (?)', project);
  }

  async dropProject(project: string): Promise<void> {
    this.ctx.storage.sql.exec('DELETE FROM project WHERE id = ?', project);
  }

  async loadSweepPosition(): Promise<string | null> {
    return (await this.ctx.storage.get<string>(SWEEP_POSITION)) ?? null;
  }

  async saveSweepPosition(position: string | null): Promise<void> {
    if (position === null) await this.ctx.storage.delete(SWEEP_POSITION);
    else await this.ctx.storage.put(SWEEP_POSITION, position);
  }

  async patchEnvironment(patch: PatchEnvironment): Answer<EnvironmentView> {
    return this.#environment.patch(patch);
  }

  async listEnvironment(): Promise<EnvironmentView> {
    return this.#environment.view();
  }

  async environmentValues(): Promise<Result<EnvironmentValues, Failure>> {
    return this.#environment.values();
  }
}
