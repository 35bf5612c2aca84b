/** One workspace on disk and the repository it came from, with clone and save as the supervisor would call them. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CloneResult, CloneSpec, SaveResult, SaveSpec } from '../../src/sandbox/protocol.ts';
import { runClone } from '../../src/sandbox/supervisor/git-clone.ts';
import { runSave } from '../../src/sandbox/supervisor/git-save.ts';
import type { Place } from '../../src/sandbox/supervisor/place.ts';
import { git } from './git-server.ts';

export const BRANCH = 'symphony/ABC-1';
export const RESCUE = 'symphony-rescue/ABC-1/1';
/** What people see; it must be the only URL that is ever written down. */
export const ORIGIN = 'https://git.example.com/demo';

export interface Workspace {
  readonly root: string;
  readonly place: Place;
  clone(more?: Partial<CloneSpec>): Promise<CloneResult>;
  /** As the control plane does, it remembers what was saved last. */
  save(more?: Partial<SaveSpec>): Promise<SaveResult>;
  /** Plain git in the work tree, as the agent uses it. */
  git(...args: string[]): Promise<string>;
  write(files: Record<string, string>): Promise<void>;
  /** Writes a file, adds and commits it; answers the sha. */
  commit(message: string, files?: Record<string, string>): Promise<string>;
  head(): Promise<string>;
  close(): Promise<void>;
}

export const never = new AbortController().signal;

export const newPlace = async (): Promise<{ root: string; place: Place }> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'git-workspace-')));
  const place: Place = {
    mode: 'host',
    directory: join(root, 'work', 'ABC-1'),
    stateDirectory: join(root, 'work', '.edge-harness', 'ABC-1'),
    gitEnv: { PATH: process.env['PATH'] ?? '', HOME: join(root, 'home') },
  };
  return { root, place };
};

export const newWorkspace = async (url: string | null): Promise<Workspace> => {
  const { root, place } = await newPlace();
  const remote = url === null ? null : { url, origin: ORIGIN, local_submodules: true as const };
  let base: string | null = null;
  let lastSaved: string | null = null;
  const workspace: Workspace = {
    root,
    place,
    async clone(more = {}) {
      const result = await runClone({ ...cloneSpec, remote, ...more }, place, never);
      if (result.ok) ({ base, remote_sha: lastSaved } = result);
      return result;
    },
    async save(more = {}) {
      const spec = { ...saveSpec, remote, base, last_saved: lastSaved, ...more };
      const result = await runSave(spec, place, never);
      lastSaved = result.sha ?? lastSaved;
      return result;
    },
    git: (...args) => git(place.directory, ...args),
    async write(files) {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(place.directory, path)), { recursive: true });
        await writeFile(join(place.directory, path), text);
      }
    },
    async commit(message, files = { [`${message}.txt`]: message }) {
      await workspace.write(files);
      await workspace.git('add', '--', ...Object.keys(files));
      await workspace.git('commit', '--quiet', '--message', message);
      return workspace.head();
    },
    head: () => workspace.git('rev-parse', 'HEAD'),
    close: () => rm(root, { recursive: true, force: true }),
  };
  return workspace;
};

const cloneSpec: CloneSpec = {
  kind: 'clone',
  id: 'clone-1',
  wait_ms: 0,
  timeout_ms: 20_000,
  remote: null,
  branch: BRANCH,
  base_branch: null,
  depth: null,
  user: { name: 'Symphony', email: 'symphony@localhost' },
};

const saveSpec: SaveSpec = {
  kind: 'save',
  id: 'save-1',
  wait_ms: 0,
  timeout_ms: 20_000,
  remote: null,
  branch: BRANCH,
  rescue: RESCUE,
  base: null,
  last_saved: null,
};
