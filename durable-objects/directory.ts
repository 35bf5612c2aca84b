/** Which projects there are, and the environment that all of them share. One object, named `directory`. */
import { DurableObject } from 'cloudflare:workers';
import type {
  ApiTokenView,
  AuditPage,
  EnvironmentView,
  NewApiToken,
  PatchEnvironment,
} from '../src/core/api.ts';
import type { Failure } from '../src/core/failure.ts';
import type { Result } from '../src/core/result.ts';
import type { Env } from '../src/sandbox/env.ts';
import { ENVIRONMENT_TABLE, EnvironmentTable } from './environment-table.ts';
import { AUDIT_TABLE, AuditTable, type NewAuditEntry } from './audit-table.ts';
import { migrate } from './migrations.ts';
import { TOKEN_TABLE, TokenTable } from './token-table.ts';
import type { Answer, DirectoryRpc, EnvironmentValues } from './rpc.ts';

const SWEEP_POSITION = 'sweep-position';
const USED = 'used/';

const MIGRATIONS = [
  `CREATE TABLE project (id TEXT PRIMARY KEY);
   ${ENVIRONMENT_TABLE}
   ${TOKEN_TABLE}
   ${AUDIT_TABLE}`,
];

export class Directory extends DurableObject<Env> implements DirectoryRpc {
  readonly #environment: EnvironmentTable;
  readonly #tokens: TokenTable;
  readonly #audit: AuditTable;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, MIGRATIONS);
    this.#environment = new EnvironmentTable(ctx.storage, env, 'global');
    this.#tokens = new TokenTable(ctx.storage.sql);
    this.#audit = new AuditTable(ctx.storage.sql);
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

  /** true the first time. What has expired by itself is forgotten. */
  async useOnce(nonce: string, expiresAtMs: number): Promise<boolean> {
    const used = await this.ctx.storage.list<number>({ prefix: USED });
    const over = [...used].filter(([, untilMs]) => untilMs < Date.now()).map(([name]) => name);
    await Promise.all(over.map((name) => this.ctx.storage.delete(name)));
    if (used.has(USED + nonce)) return false;
    await this.ctx.storage.put(USED + nonce, expiresAtMs);
    return true;
  }

  async createToken(id: string, hash: string, input: NewApiToken): Promise<ApiTokenView> {
    return this.#tokens.create(id, hash, input, Date.now());
  }

  async listTokens(): Promise<ApiTokenView[]> {
    return this.#tokens.list();
  }

  async findToken(hash: string): Promise<ApiTokenView | null> {
    return this.#tokens.find(hash);
  }

  async revokeToken(id: string): Promise<boolean> {
    return this.#tokens.revoke(id);
  }

  async recordAudit(entry: NewAuditEntry): Promise<void> {
    this.#audit.add(entry, Date.now());
  }

  async listAudit(limit: number, cursor: string | null): Promise<AuditPage> {
    const entries = this.#audit.page(cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor), limit + 1);
    const page = entries.slice(0, limit);
    const last = page.at(-1);
    return { entries: page, next_cursor: entries.length > limit && last ? String(last.seq) : null };
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
