/** Turns the index and the files of a workspace into trees, through copies: neither is touched. */
import { lstat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitFailure } from '../../core/git-failure.ts';
import { err, ok, type Result } from '../../core/result.ts';
import { inWorkTree, type CleanRepository } from './git-clean.ts';
import { copyIndex, copyIndexFile, rebuildIndex } from './git-index.ts';

export interface Trees {
  /** Tree of what is staged, without unmerged paths. */
  index: string;
  /** Tree of the files as they are: tracked, changed and untracked, without ignored ones. */
  files: string;
  /** Unmerged entries in the form of `update-index --index-info`. */
  conflicts: string[];
  /** Tree that keeps the contents of unmerged entries; null: there are none. */
  conflictTree: string | null;
}

/** Files are kept byte for byte: no line ends, encodings or keywords are converted, and no filter is looked up. */
const RAW_ATTRIBUTES = '* -text -eol -crlf -ident -filter -working-tree-encoding\n';

/** Text shrinks to a fifth; more than this will hardly fit into the snapshot. */
const RAW_BYTES_PER_SNAPSHOT_BYTE = 8;

export async function buildTrees(
  clean: CleanRepository,
  maxBytes: number,
): Promise<Result<Trees, GitFailure>> {
  await writeFile(join(clean.directory, 'info', 'attributes'), RAW_ATTRIBUTES);
  const { staged, conflicts } = await openIndex(clean);
  const work = new IndexFile(clean, join(clean.directory, 'index-of-files'));
  await copyIndexFile(staged.path, work.path);
  const files = await treeOfFiles(work, maxBytes);
  if (!files.ok) return files;
  const conflictTree = await treeOfConflicts(clean, conflicts);
  if (!conflictTree.ok) return conflictTree;
  const indexTree = await treeWithout(staged, conflicts);
  if (!indexTree.ok) return indexTree;
  return ok({ index: indexTree.value, files: files.value, conflicts, conflictTree: conflictTree.value });
}

class IndexFile {
  readonly clean: CleanRepository;
  readonly path: string;

  constructor(clean: CleanRepository, path: string) {
    this.clean = clean;
    this.path = path;
  }

  async run(
    what: string,
    args: readonly string[],
    input?: string | Uint8Array,
  ): Promise<Result<Buffer, GitFailure>> {
    const answer = await inWorkTree(this.clean, this.path, {
      what,
      args,
      ...(input === undefined ? {} : { input }),
    });
    return answer.ok ? ok(answer.value.stdout) : answer;
  }

  async writeTree(): Promise<Result<string, GitFailure>> {
    const written = await this.run('Writing a tree', ['write-tree']);
    return written.ok ? ok(written.value.toString().trim()) : written;
  }
}

async function openIndex(clean: CleanRepository): Promise<{ staged: IndexFile; conflicts: string[] }> {
  const copy = await copyIndex(clean);
  if (copy !== null) {
    const staged = new IndexFile(clean, copy);
    const unmerged = await staged.run('Reading the index', ['ls-files', '-u', '-z']);
    if (unmerged.ok) return { staged, conflicts: unmerged.value.toString().split('\0').filter(isNotEmpty) };
  }
  return { staged: new IndexFile(clean, await rebuildIndex(clean)), conflicts: [] };
}

const isNotEmpty = (text: string): boolean => text !== '';

async function treeOfFiles(work: IndexFile, maxBytes: number): Promise<Result<string, GitFailure>> {
  const what = 'Listing the changed files';
  const listed = await work.run(what, ['ls-files', '-z', '-m', '-o', '--exclude-standard']);
  if (!listed.ok) return listed;
  const limit = maxBytes * RAW_BYTES_PER_SNAPSHOT_BYTE;
  const { bytes, files, others } = await sortOut(
    work.clean.session.place.directory,
    splitPaths(listed.value),
    limit,
  );
  if (bytes > limit)
    return err({ reason: 'other', detail: `The uncommitted files are larger than ${limit} bytes.` });
  const paths = [...others, ...files];
  if (paths.length > 0) {
    const input = Buffer.concat(paths.flatMap((path) => [path, Buffer.from([0])]));
    const args = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
    const added = await work.run('Reading the changed files', args, input);
    if (!added.ok) return added;
  }
  return work.writeTree();
}

/** Paths are bytes. A name that ends in a slash is a repository inside the workspace: not our files. */
function splitPaths(list: Buffer): Buffer[] {
  const paths: Buffer[] = [];
  for (let start = 0; start < list.length;) {
    const end = list.indexOf(0, start);
    const path = list.subarray(start, end < 0 ? list.length : end);
    if (path.length > 0 && path.at(-1) !== 0x2f) paths.push(path);
    start += path.length + 1;
  }
  return paths;
}

interface Sorted {
  bytes: number;
  files: Buffer[];
  /** Deleted, or a folder now: out of the index before a file may take the name of their folder. */
  others: Buffer[];
}

async function sortOut(directory: string, paths: readonly Buffer[], limit: number): Promise<Sorted> {
  const root = Buffer.from(`${directory}/`);
  const sorted: Sorted = { bytes: 0, files: [], others: [] };
  for (const path of paths) {
    const stats = await lstat(Buffer.concat([root, path])).catch(() => null);
    if (stats === null || stats.isDirectory()) sorted.others.push(path);
    else sorted.files.push(path);
    if (stats?.isFile() === true) sorted.bytes += stats.size;
    if (sorted.bytes > limit) break;
  }
  return sorted;
}

async function treeOfConflicts(
  clean: CleanRepository,
  conflicts: readonly string[],
): Promise<Result<string | null, GitFailure>> {
  if (conflicts.length === 0) return ok(null);
  const kept = new IndexFile(clean, join(clean.directory, 'index-of-conflicts'));
  const entries = conflicts.map((entry, at) => `${entry.split(' ', 2).join(' ')} 0\t${at}`);
  const added = await kept.run(
    'Keeping the conflicts',
    ['update-index', '--index-info'],
    `${entries.join('\n')}\n`,
  );
  return added.ok ? kept.writeTree() : added;
}

async function treeWithout(
  staged: IndexFile,
  conflicts: readonly string[],
): Promise<Result<string, GitFailure>> {
  if (conflicts.length > 0) {
    const paths = [...new Set(conflicts.map((entry) => entry.slice(entry.indexOf('\t') + 1)))];
    const args = ['update-index', '--force-remove', '-z', '--stdin'];
    const removed = await staged.run(
      'Reading the conflicts',
      args,
      paths.map((path) => `${path}\0`).join(''),
    );
    if (!removed.ok) return removed;
  }
  return staged.writeTree();
}
