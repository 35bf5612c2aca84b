/** What hooks and agents saw, written by themselves outside of every workspace: the witness that no crash of ours can change. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LedgerEntry {
  what: 'after_create' | 'before_run' | 'agent' | 'after_run' | 'overlap' | 'commit' | 'head';
  key: string;
  /** The title names the dispatch: attempts of two dispatches never share it. */
  dispatch: string;
  attempt: string;
  /** `after_create`: the incarnation; `commit`: what the agent has just made; `head`: a branch or HEAD as after_run finds it. */
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

  /** Commits that somebody saw; each has to be somewhere for ever. */
  readCommits(): LedgerEntry[] {
    return this.read().filter(({ what, detail }) => (what === 'commit' || what === 'head') && isSha(detail));
  }

  /**
   * WORKFLOW.md whose hooks and agent write here. The agent holds a lock while it runs: a second one at once is an `overlap`.
   * Some agents leave work on a second branch, and some a detached HEAD.
   */
  workflow(root: string): string {
    const note = (what: string, detail: string) =>
      `echo "${what} $SYMPHONY_WORKSPACE_KEY $SYMPHONY_ISSUE_TITLE \${SYMPHONY_ATTEMPT:-0} ${detail}" >> '${this.file}'`;
    const claims = `'${root}'/.edge-harness/"$SYMPHONY_WORKSPACE_KEY"/claim.json "$HOME"/state/workspace/claim.json`;
    const claim = `$(sed -n 's/.*"creation_id": *"\\([^"]*\\)".*/\\1/p' ${claims} 2> /dev/null)`;
    return `---
workspace:
  root: ${root}
hooks:
  after_create: |
    ${note('after_create', claim)}
  before_run: |
    ${note('before_run', '-')}
  after_run: |
    ${note('after_run', '-')}
    for sha in $(git rev-parse --verify --quiet HEAD) $(git for-each-ref --format='%(objectname)' refs/heads); do
      ${note('head', '$sha')}
    done
  before_remove: sleep 0.05
  timeout_ms: 20000
agent:
  command: |
    work() {
      date +%s%N$RANDOM >> work.txt
      git add work.txt && git commit --quiet --message "work of $SYMPHONY_ATTEMPT" && ${note('commit', '$(git rev-parse HEAD)')}
    }
    exec 9> '${this.locks}'/"$SYMPHONY_WORKSPACE_KEY"
    flock -n 9 || ${note('overlap', '-')}
    ${note('agent', '-')}
    sleep 0.$((RANDOM % 9))
    git switch --quiet "$SYMPHONY_ISSUE_BRANCH"
    case $((RANDOM % 6)) in
      0) git switch --quiet --create side-$RANDOM; work; git switch --quiet - ;;
      1) git switch --quiet --detach ;;
    esac
    work
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

const isSha = (text: string | undefined): boolean => /^[0-9a-f]{40}$/.test(text ?? '');
