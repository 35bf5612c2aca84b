/** How many rows a project's statements read: what storage counts and bills. */
import { ProjectStore } from '../../durable-objects/project-store.ts';

export function countRowsRead(storage: DurableObjectStorage, use: (store: ProjectStore) => void): number {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const sql = {
    exec: (...args: Parameters<SqlStorage['exec']>) => {
      const cursor = storage.sql.exec(...args);
      cursors.push(cursor);
      return cursor;
    },
  };
  const counted = { sql, transactionSync: <T>(work: () => T) => storage.transactionSync(work) };
  const store = new ProjectStore(counted as unknown as DurableObjectStorage);
  cursors.length = 0;
  use(store);
  return cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0);
}

/** What a sweep asks of a project of which nothing has to go. */
export function lookForWork(store: ProjectStore): void {
  store.purgeRemoved(Date.now() - 86_400_000);
  store.toSweep(0, 200, Date.now() - 600_000);
}
