/** A project's SQLite tables: SQL and row parsing only, no decisions. */
import type { RefusedWorkflow } from '../src/core/refused-workflow.ts';
import type { KnownTask } from '../src/core/task-owner.ts';
import { ANSWER_TABLE } from './answer-table.ts';
import { ENVIRONMENT_TABLE } from './environment-table.ts';
import { migrate } from './migrations.ts';
import type { WorkspaceSummary } from './project-for-workspace.ts';

const MIGRATIONS = [
  `CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
   ${ENVIRONMENT_TABLE}
   CREATE TABLE workspace (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, task_id TEXT NOT NULL, id_given INTEGER NOT NULL, identifier TEXT NOT NULL,
     sandbox_id TEXT NOT NULL, task_state TEXT NOT NULL, terminal INTEGER NOT NULL, status TEXT NOT NULL, saved TEXT NOT NULL,
     generation INTEGER NOT NULL, version INTEGER NOT NULL, view TEXT, reserved_at_ms INTEGER NOT NULL, removed_at_ms INTEGER);
   CREATE UNIQUE INDEX workspace_live_key ON workspace (key) WHERE removed_at_ms IS NULL;
   CREATE UNIQUE INDEX workspace_live_task ON workspace (task_id) WHERE removed_at_ms IS NULL;
   CREATE INDEX workspace_to_sweep ON workspace (seq) WHERE removed_at_ms IS NULL AND terminal = 1;
   CREATE INDEX workspace_reserved ON workspace (seq) WHERE removed_at_ms IS NULL AND view IS NULL;
   CREATE INDEX workspace_removed ON workspace (removed_at_ms) WHERE removed_at_ms IS NOT NULL;
   CREATE INDEX workspace_status ON workspace (status, seq);
   CREATE INDEX workspace_saved ON workspace (saved, seq);
   ${ANSWER_TABLE}`,
  `ALTER TABLE workspace ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX workspace_change ON workspace (change);`,
  // With both filters either index alone would read all rows that pass the other one.
  'CREATE INDEX workspace_status_saved ON workspace (status, saved, seq);',
];

/** Characters of one page: a call between objects carries 32 MiB, and a title may have half a million of them. */
const MAX_PAGE_LENGTH = 4_000_000;

export interface WorkspaceRow {
  [column: string]: SqlStorageValue;
  seq: number;
  key: string;
  task_id: string;
  id_given: number;
  identifier: string;
  task_state: string;
  terminal: number;
  generation: number;
  version: number;
  view: string | null;
  reserved_at_ms: number;
}

const COLUMNS =
  'seq, key, task_id, id_given, identifier, task_state, terminal, generation, version, view, reserved_at_ms';

export interface NewRow {
  key: string;
  taskId: string;
  idGiven: boolean;
  identifier: string;
  sandboxId: string;
  taskState: string;
  atMs: number;
}

export class ProjectStore {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    migrate(storage, MIGRATIONS);
    this.#storage = storage;
    this.#sql = storage.sql;
  }

  /** Everything goes, tables included; a project of the same id starts from empty ones. */
  async clear(): Promise<void> {
    await this.#storage.deleteAll();
    migrate(this.#storage, MIGRATIONS);
  }

  meta(name: string): string | null {
    return (
      this.#sql.exec<{ value: string }>('SELECT value FROM meta WHERE name = ?', name).toArray()[0]?.value ??
      null
    );
  }

  setMeta(name: string, value: string | null): void {
    if (value === null) this.#sql.exec('DELETE FROM meta WHERE name = ?', name);
    else this.#sql.exec('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)', name, value);
  }

  /** Its text is a value of its own: as JSON, beside the rest, it could be too long for one. */
  setRefused(refused: RefusedWorkflow | null): void {
    const { text = null, ...rest } = refused ?? {};
    this.setMeta('refused', refused === null ? null : JSON.stringify(rest));
    this.setMeta('refused_text', text);
  }

  /** What was stored before the text was kept apart holds it itself. */
  refused(): RefusedWorkflow | null {
    const value = this.meta('refused');
    if (value === null) return null;
    const text = this.meta('refused_text') ?? '';
    return { text, ...(JSON.parse(value) as Omit<RefusedWorkflow, 'text'>) };
  }

  rowByTask(taskId: string): WorkspaceRow | null {
    return this.#row('task_id = ? AND removed_at_ms IS NULL', taskId);
  }

  rowByKey(key: string): WorkspaceRow | null {
    return this.#row('key = ? AND removed_at_ms IS NULL', key);
  }

  #row(where: string, ...values: SqlStorageValue[]): WorkspaceRow | null {
    return (
      this.#sql
        .exec<WorkspaceRow>(`SELECT ${COLUMNS} FROM workspace WHERE ${where}`, ...values)
        .toArray()[0] ?? null
    );
  }

  /** Before the first start of its sandbox, so that no sandbox is unknown. A late report of the key's last workspace stays too old for it. */
  reserve(row: NewRow): void {
    this.#sql.exec(
      `INSERT INTO workspace (key, task_id, id_given, identifier, sandbox_id, task_state, terminal, status, saved, generation, version, view, reserved_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, 0, 'creating', 'unknown', 0, (SELECT COALESCE(MAX(version), 0) FROM workspace WHERE key = ?), NULL, ?)`,
      row.key,
      row.taskId,
      row.idGiven ? 1 : 0,
      row.identifier,
      row.sandboxId,
      row.taskState,
      row.key,
      row.atMs,
    );
  }

  dropRow(seq: number): void {
    this.#sql.exec('DELETE FROM workspace WHERE seq = ?', seq);
  }

  /**
   * Answers the change's number. A report that is older than what is there is dropped: null. The live row of the key is this workspace's:
   * keys are released on removal only. An id that another live row has stays with that one.
   */
  report({ view, generation, version, terminal, idGiven }: WorkspaceSummary): number | null {
    const change = this.lastChange() + 1;
    const removedAtMs = view.removed_at === null ? null : Date.parse(view.removed_at);
    const isTaken = (this.rowByTask(view.task.id)?.key ?? view.key) !== view.key;
    const written = this.#sql.exec(
      `UPDATE workspace SET change = ?, task_id = COALESCE(?, task_id), id_given = COALESCE(?, id_given), identifier = ?, task_state = ?, terminal = ?, status = ?, saved = ?, generation = ?, version = ?, view = ?, removed_at_ms = ?
       WHERE key = ? AND removed_at_ms IS NULL AND version < ? AND generation <= ?`,
      change,
      isTaken ? null : view.task.id,
      isTaken ? null : idGiven ? 1 : 0,
      view.task.identifier,
      view.task.state,
      terminal ? 1 : 0,
      view.status,
      view.saved.status,
      generation,
      version,
      JSON.stringify(view),
      removedAtMs,
      view.key,
      version,
      generation,
    );
    if (written.rowsWritten === 0) return null;
    this.setMeta('change', String(change));
    return change;
  }

  /** Counts reports, also past rows that are gone. */
  lastChange(): number {
    return Number(this.meta('change') ?? 0);
  }

  /** Present views of what changed since, in the order of the changes. */
  changedSince(after: number): { change: number; view: string }[] {
    const query = 'SELECT change, view FROM workspace WHERE change > ? AND view IS NOT NULL ORDER BY change';
    return this.#sql.exec<{ change: number; view: string }>(query, after).toArray();
  }

  /** Does nothing where another live row has the id. */
  markTask(seq: number, id: Pick<KnownTask, 'task_id' | 'id_given'>, identifier: string): void {
    this.#sql.exec(
      'UPDATE OR IGNORE workspace SET task_id = ?, id_given = ?, identifier = ? WHERE seq = ?',
      id.task_id,
      id.id_given,
      identifier,
      seq,
    );
  }

  /** Back to what it was, unless the workspace has reported another id since: it took that one from another dispatch. */
  unmarkTask({ seq, task_id: taskId, id_given: idGiven }: WorkspaceRow): void {
    this.#sql.exec(
      `UPDATE OR IGNORE workspace SET task_id = ?, id_given = ? WHERE seq = ? AND (view IS NULL OR json_extract(view, '$.task.id') = ?)`,
      taskId,
      idGiven,
      seq,
      taskId,
    );
  }

  /** Newest first, below `before`; fewer than `limit` where their titles are long. */
  page(
    before: number,
    limit: number,
    status: string | null,
    saved: string | null,
  ): { rows: WorkspaceRow[]; hasMore: boolean } {
    const filters = ['seq < ?'];
    const values: SqlStorageValue[] = [before];
    if (status !== null) {
      filters.push('status = ?');
      values.push(status);
    }
    if (saved !== null) {
      filters.push('saved = ?');
      values.push(saved);
    }
    const query = `SELECT ${COLUMNS} FROM workspace WHERE ${filters.join(' AND ')} AND view IS NOT NULL ORDER BY seq DESC LIMIT ?`;
    const rows: WorkspaceRow[] = [];
    let length = 0;
    for (const row of this.#sql.exec<WorkspaceRow>(query, ...values, limit + 1)) {
      if (rows.length === limit || length > MAX_PAGE_LENGTH) return { rows, hasMore: true };
      rows.push(row);
      length += row.view?.length ?? 0;
    }
    return { rows, hasMore: false };
  }

  /** Live rows whose task is terminal, and reservations that no workspace ever confirmed; both through their own small index. */
  toSweep(after: number, limit: number, reservedBeforeMs: number): WorkspaceRow[] {
    const terminal = this.#sql.exec<WorkspaceRow>(
      `SELECT ${COLUMNS} FROM workspace INDEXED BY workspace_to_sweep WHERE removed_at_ms IS NULL AND terminal = 1 AND seq > ? ORDER BY seq LIMIT ?`,
      after,
      limit,
    );
    const reserved = this.#sql.exec<WorkspaceRow>(
      `SELECT ${COLUMNS} FROM workspace INDEXED BY workspace_reserved WHERE removed_at_ms IS NULL AND view IS NULL AND seq > ? AND reserved_at_ms < ? ORDER BY seq LIMIT ?`,
      after,
      reservedBeforeMs,
      limit,
    );
    return [...terminal.toArray(), ...reserved.toArray()].sort((a, b) => a.seq - b.seq).slice(0, limit);
  }

  /** A change of the terminal states reaches the rows whose answer changes. */
  retagTerminal(isTerminal: (state: string) => boolean): void {
    const states = this.#sql.exec<{ task_state: string }>(
      'SELECT DISTINCT task_state FROM workspace WHERE removed_at_ms IS NULL',
    );
    for (const { task_state } of states.toArray())
      this.#sql.exec(
        'UPDATE workspace SET terminal = ? WHERE removed_at_ms IS NULL AND task_state = ?',
        isTerminal(task_state) ? 1 : 0,
        task_state,
      );
  }

  hasLive(): boolean {
    return this.#sql.exec('SELECT 1 FROM workspace WHERE removed_at_ms IS NULL LIMIT 1').toArray().length > 0;
  }

  purgeRemoved(beforeMs: number): void {
    this.#sql.exec('DELETE FROM workspace WHERE removed_at_ms IS NOT NULL AND removed_at_ms < ?', beforeMs);
  }
}
