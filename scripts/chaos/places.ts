/** Where a commit may be: on the remote, in a snapshot, in a workspace. Looked at with plain git, past the service. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every commit, reachable or not: a rescue ref may hold it, or the next save will. */
export function commitsOf(repository: string): Set<string> {
  const listing = git(
    repository,
    'cat-file',
    '--batch-all-objects',
    '--batch-check=%(objectname) %(objecttype)',
  );
  const lines = (listing ?? '').split('\n').filter((line) => line.endsWith(' commit'));
  return new Set(lines.map((line) => line.slice(0, -' commit'.length)));
}

/** The commits in the bundles of the local snapshot store, whose files Miniflare keeps as they were put. */
export class SnapshotShelf {
  readonly #buckets: string;
  readonly #scratch: string;
  readonly #read = new Map<string, Set<string>>();

  /** `remote`: a large bundle leaves out what is there. */
  constructor(workerState: string, scratch: string, remote: string) {
    this.#buckets = join(workerState, 'r2');
    this.#scratch = scratch;
    mkdirSync(scratch, { recursive: true });
    git(scratch, 'init', '--quiet', '--bare');
    writeFileSync(join(scratch, 'objects', 'info', 'alternates'), `${join(remote, 'objects')}\n`);
  }

  commits(): Set<string> {
    return new Set(this.#bundles().flatMap((path) => [...this.#commitsOf(path)]));
  }

  /** The bucket's name is a secret of the development server. */
  #bundles(): string[] {
    return namesIn(this.#buckets).flatMap((bucket) => {
      const blobs = join(this.#buckets, bucket, 'blobs');
      return namesIn(blobs).map((name) => join(blobs, name));
    });
  }

  #commitsOf(path: string): Set<string> {
    const known = this.#read.get(path);
    if (known) return known;
    const listing = git(this.#scratch, 'bundle', 'unbundle', path);
    // Still being written: the next look reads it whole.
    if (listing === null) return new Set();
    const tips = listing.split('\n').flatMap((line) => line.split(' ')[0] || []);
    const reachable = git(this.#scratch, 'rev-list', ...tips) ?? '';
    const commits = new Set(reachable.split('\n').filter((sha) => sha !== ''));
    this.#read.set(path, commits);
    return commits;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** null: git refused, or there is no repository. */
function git(cwd: string, ...args: string[]): string | null {
  try {
    return execFileSync('git', args, {
      cwd,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return null;
  }
}
