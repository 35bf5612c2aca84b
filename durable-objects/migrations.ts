/** Runs an append-only list of schema changes, each once, in one transaction with its mark. */

export function migrate(storage: DurableObjectStorage, migrations: readonly string[]): void {
  const { sql } = storage;
  sql.exec('CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY)');
  const done = sql
    .exec<{ last: number }>('SELECT COALESCE(MAX(number), 0) AS last FROM migration')
    .one().last;
  for (const [index, statements] of migrations.entries()) {
    if (index + 1 <= done) continue;
    storage.transactionSync(() => {
      sql.exec(statements);
      sql.exec('INSERT INTO migration (number) VALUES (?)', index + 1);
    });
  }
}
