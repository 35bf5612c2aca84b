/** What hooks and agents saw, written by themselves outside of every workspace: the witness that no crash of ours can change. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LedgerEntry {
  what: 'after_create' | 'before_run' | 'after_run' | 'overlap' | 'commit';
  key: string;
  /** The title names the dispatch: attempts of two dispatches never share it. */
  dispatch: string;
  attempt: string;
  /** `after_create`: the incarnation; `after_run`, `commit`: HEAD. */
  detail: string;
}

/** Entries are one `echo >>` each, which appends whole lines however many write at once. */
export class Ledger {
  readonly file: string;
  readonly locks: string;

  constructor(folder: string) {
    this.file = join(folder, 'ledger');
    this.locks = join(folder, 'locks');
    mkdirSync(this.locks, { recursive: true });
    writeFileSync(this.file, '');
  }

  read(): LedgerEntry[] {
    return readFileSync(this.file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [what, key, dispatch, attempt, detail] = line.split(' ');
        return { what, key, dispatch, attempt, detail } as LedgerEntry;
      });
  }

  /** WORKFLOW.md whose hooks and agent write here. The agent holds a lock while it runs: a second one at once is an `overlap`. */
  workflow(root: string): string {
    const note = (what: string, detail: string) =>
      `echo "${what} $SYMPHONY_WORKSPACE_KEY $SYMPHONY_ISSUE_TITLE \${SYMPHONY_ATTEMPT:-0} ${detail}" >> '${this.file}'`;
    const claim = `$(sed -n 's/.*"creation_id": *"\\([^"]*\\)".*/\\1/p' '${root}'/.edge-harness/"$SYMPHONY_WORKSPACE_KEY"/claim.json)`;
    return `---
workspace:
  root: ${root}
hooks:
  after_create: |
    ${note('after_create', claim)}
  before_run: |
    ${note('before_run', '-')}
  after_run: |
    ${note('after_run', '$(git rev-parse --verify --quiet HEAD)')}
  before_remove: sleep 0.05
  timeout_ms: 20000
agent:
  command: |
    exec 9> '${this.locks}'/"$SYMPHONY_WORKSPACE_KEY"
    flock -n 9 || ${note('overlap', '-')}
    sleep 0.$((RANDOM % 9))
    date +%s%N$RANDOM >> work.txt
    git add work.txt && git commit --quiet --message "work of $SYMPHONY_ATTEMPT"
    ${note('commit', '$(git rev-parse HEAD)')}
    date >> untracked.txt
    sleep 0.$((RANDOM % 9))
    exit $((RANDOM % 4 == 0))
  timeout_ms: 20000
  max_attempts: 4
  max_retry_backoff_ms: 500
---
`;
  }
}
