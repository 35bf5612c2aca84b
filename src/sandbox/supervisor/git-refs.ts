/**
 * Reads HEAD, local branches and stash of an untrusted repository without git: running git there would read its
 * configuration. Links are never followed, so that nothing outside the repository is read.
 */
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseLooseRef, parsePackedRefs, parseReflog, type RemoteRefs } from '../../core/git-output.ts';

export interface WorkspaceRefs {
  head: { sha: string | null; branch: string | null };
  /** Short name → sha. */
  branches: Map<string, string>;
  /** Heads of linked work trees that no branch names. */
  worktrees: { name: string; sha: string }[];
  /** Newest last, as in the reflog; a stash that a rebase or merge put aside counts too. */
  stashes: { sha: string; message: string }[];
  /** What could not be read, in words; its commits are not saved. */
  unreadable: string[];
}

const MAX_REF_BYTES = 4096;
const MAX_PACKED_BYTES = 64 * 1024 * 1024;
const MAX_REFLOG_BYTES = 16 * 1024 * 1024;
/** As deep as git itself follows symbolic refs. */
const MAX_SYMBOLIC_DEPTH = 5;
/** Of a name in a message. */
const MAX_SHOWN_LENGTH = 100;
const HEADS = 'refs/heads/';
const ORIGIN = 'refs/remotes/origin/';
const ORIGIN_HEAD = `${ORIGIN}HEAD`;

export async function readRefs(gitDirectory: string): Promise<WorkspaceRefs> {
  const unreadable: string[] = [];
  if (await isThere(gitDirectory, 'reftable')) unreadable.push('refs in the reftable format');
  const packed = await readPlain(gitDirectory, 'packed-refs', MAX_PACKED_BYTES);
  if (packed === null && (await isThere(gitDirectory, 'packed-refs'))) unreadable.push('packed-refs');
  const refs = new Refs(gitDirectory, parsePackedRefs(packed ?? ''));
  const branches = new Map<string, string>();
  for (const name of await refs.under('refs/heads')) {
    const sha = await refs.resolve(name);
    if (sha === null) unreadable.push(`branch ${name.slice(HEADS.length, HEADS.length + MAX_SHOWN_LENGTH)}`);
    else branches.set(name.slice(HEADS.length), sha);
  }
  const head = await refs.head('HEAD');
  if (head === null) unreadable.push('HEAD');
  return {
    head: head ?? { sha: null, branch: null },
    branches,
    worktrees: await readWorktrees(gitDirectory, refs),
    stashes: await readStashes(gitDirectory, refs),
    unreadable,
  };
}

/** What the remote had, by what a clone of it holds: the same as asking it. null: too many branches and tags to read. */
export async function readOrigin(gitDirectory: string): Promise<RemoteRefs | null> {
  const text = await readPlain(gitDirectory, 'packed-refs', MAX_PACKED_BYTES);
  if (text === null && (await isThere(gitDirectory, 'packed-refs'))) return null;
  const packed = parsePackedRefs(text ?? '');
  const refs = new Refs(gitDirectory, packed);
  const tracked = packed.map(({ name, sha }): [string, string | null] => [name, sha]);
  // Git packs what it clones, which may be thousands: only what is loose is looked up.
  for (const name of await filesUnder(gitDirectory, ORIGIN.slice(0, -1)))
    tracked.push([name, await refs.resolve(name)]);
  const found = new Map<string, string>();
  for (const [name, sha] of tracked) {
    if (name.startsWith(ORIGIN) && name !== ORIGIN_HEAD && sha !== null)
      found.set(HEADS + name.slice(ORIGIN.length), sha);
  }
  const named = parseLooseRef((await readPlain(gitDirectory, ORIGIN_HEAD, MAX_REF_BYTES)) ?? '');
  // It may name a tag.
  const isBranch = named !== null && 'ref' in named && named.ref.startsWith(ORIGIN);
  const headRef = isBranch ? HEADS + named.ref.slice(ORIGIN.length) : null;
  // `git clone` detaches its HEAD as the remote's is, and at a tag.
  const head = await refs.head('HEAD');
  if (head !== null && head.sha !== null) found.set('HEAD', head.sha);
  return { refs: found, headRef };
}

class Refs {
  readonly #directory: string;
  readonly #packed: Map<string, string>;

  constructor(directory: string, packed: readonly { name: string; sha: string }[]) {
    this.#directory = directory;
    this.#packed = new Map(packed.map(({ name, sha }) => [name, sha]));
  }

  /** A loose ref hides a packed one of the same name, also when it is broken. */
  async resolve(name: string, depth = 0): Promise<string | null> {
    const loose = await readPlain(this.#directory, name, MAX_REF_BYTES);
    if (loose === null) {
      return (await isFileThere(this.#directory, name)) ? null : (this.#packed.get(name) ?? null);
    }
    const parsed = parseLooseRef(loose);
    if (parsed === null || depth >= MAX_SYMBOLIC_DEPTH) return null;
    return 'sha' in parsed ? parsed.sha : this.resolve(parsed.ref, depth + 1);
  }

  /** null: unreadable. An unborn branch has no sha. */
  async head(file: string): Promise<WorkspaceRefs['head'] | null> {
    const parsed = parseLooseRef((await readPlain(this.#directory, file, MAX_REF_BYTES)) ?? '');
    if (parsed === null) return null;
    if ('sha' in parsed) return { sha: parsed.sha, branch: null };
    const branch = parsed.ref.startsWith(HEADS) ? parsed.ref.slice(HEADS.length) : null;
    return { sha: await this.resolve(parsed.ref), branch };
  }

  async under(folder: string): Promise<string[]> {
    const packed = [...this.#packed.keys()].filter((name) => name.startsWith(`${folder}/`));
    return [...new Set([...packed, ...(await filesUnder(this.#directory, folder))])].sort();
  }
}

async function readWorktrees(gitDirectory: string, refs: Refs): Promise<WorkspaceRefs['worktrees']> {
  const found: WorkspaceRefs['worktrees'] = [];
  for (const name of await namesIn(gitDirectory, 'worktrees')) {
    const head = await refs.head(`worktrees/${name}/HEAD`);
    if (head !== null && head.sha !== null && head.branch === null) found.push({ name, sha: head.sha });
  }
  return found;
}

const AUTOSTASHES = ['rebase-merge/autostash', 'rebase-apply/autostash', 'MERGE_AUTOSTASH'];

async function readStashes(gitDirectory: string, refs: Refs): Promise<WorkspaceRefs['stashes']> {
  const stashes: WorkspaceRefs['stashes'] = [];
  const top = await refs.resolve('refs/stash');
  if (top !== null) {
    const log = parseReflog((await readPlain(gitDirectory, 'logs/refs/stash', MAX_REFLOG_BYTES)) ?? '');
    stashes.push(...(log.at(-1)?.sha === top ? log : [{ sha: top, message: 'stash' }]));
  }
  for (const file of AUTOSTASHES) {
    const parsed = parseLooseRef((await readPlain(gitDirectory, file, MAX_REF_BYTES)) ?? '');
    if (parsed !== null && 'sha' in parsed) stashes.push({ sha: parsed.sha, message: 'autostash' });
  }
  return stashes;
}

/** A regular file below `root` that is reached through real directories only; null where there is none. */
export async function readPlain(root: string, path: string, maxBytes: number): Promise<string | null> {
  if (!(await hasRealParents(root, path))) return null;
  try {
    // Without O_NONBLOCK a FIFO in place of the file would hold us up for ever.
    const file = await open(
      join(root, path),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size > maxBytes) return null;
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

async function hasRealParents(root: string, path: string): Promise<boolean> {
  const parents = path.split('/').slice(0, -1);
  for (let depth = 1; depth <= parents.length; depth += 1) {
    const stats = await lstat(join(root, ...parents.slice(0, depth))).catch(() => null);
    if (stats === null || !stats.isDirectory()) return false;
  }
  return true;
}

const isThere = (root: string, name: string): Promise<boolean> =>
  lstat(join(root, name)).then(
    () => true,
    () => false,
  );

/** Also one that we may not read; an empty folder is what git leaves of a deleted ref. */
const isFileThere = (root: string, name: string): Promise<boolean> =>
  lstat(join(root, name)).then(
    (stats) => !stats.isDirectory(),
    () => false,
  );

async function namesIn(root: string, folder: string): Promise<string[]> {
  if (!(await hasRealParents(root, `${folder}/.`))) return [];
  return readdir(join(root, folder)).catch(() => []);
}

/** Full names of the loose refs below a folder; git's lock files are none. */
async function filesUnder(root: string, folder: string): Promise<string[]> {
  const stats = await lstat(join(root, folder)).catch(() => null);
  if (stats === null || !stats.isDirectory()) return [];
  const found: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesUnder(root, name)));
    else if (entry.isFile() && !name.endsWith('.lock')) found.push(name);
  }
  return found;
}
