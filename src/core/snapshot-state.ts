/** What a snapshot's bundle says besides its commits: enough to rebuild HEAD, branches, index and stash. */
import * as z from 'zod';

const sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
/** Far more than there are attempts between two saves. */
export const MAX_LEFT = 200;

const name = z.string().min(1).max(1024);

/** Written as the message of the commit that holds the files. A bundle comes from a sandbox: it may say anything. */
export const SnapshotState = z.object({
  version: z.literal(1),
  head: sha.nullable(),
  /** null: detached. */
  head_branch: name.nullable(),
  branches: z.array(z.tuple([name, sha])).max(100_000),
  /** Oldest first. */
  stashes: z.array(z.object({ sha, message: z.string() })).max(10_000),
  /** Commit of the index; null: there was none. */
  index: sha.nullable(),
  /** Unmerged entries in the form of `update-index --index-info`. */
  conflicts: z.array(z.string()).max(100_000),
  /** The ends of a shallow history. */
  shallow: z.array(sha).max(1_000_000),
  exclude: z.string(),
  base: sha.nullable(),
  remote_sha: sha.nullable(),
  /** Commits that the remote has answered with. */
  saved: z.array(sha).max(1000),
  /** Commits of former attempts that nothing here leads to any more, and that the remote does not have. */
  left: z.array(sha).max(MAX_LEFT).default([]),
});
export type SnapshotState = z.infer<typeof SnapshotState>;

export function parseSnapshotState(text: string): SnapshotState | null {
  try {
    const parsed = SnapshotState.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Names of refs exist inside the bundle only. */
export const SNAPSHOT_REFS = 'refs/snapshot/';
export const FILES_REF = `${SNAPSHOT_REFS}files`;

export interface BundleHeader {
  /** Commits that the reader must have already. */
  prerequisites: string[];
  refs: Map<string, string>;
}

/** The text before the pack: `# v2 git bundle`, capabilities, `-sha comment`, `sha ref`, an empty line. */
export function parseBundleHeader(text: string): BundleHeader | null {
  const [signature, ...lines] = text.split('\n');
  if (signature !== '# v2 git bundle' && signature !== '# v3 git bundle') return null;
  const header: BundleHeader = { prerequisites: [], refs: new Map() };
  for (const line of lines) {
    if (line === '') return header;
    const [left = '', ...rest] = line.split(' ');
    if (left.startsWith('-')) header.prerequisites.push(left.slice(1));
    else if (!left.startsWith('@')) header.refs.set(rest.join(' '), left);
  }
  return null;
}
