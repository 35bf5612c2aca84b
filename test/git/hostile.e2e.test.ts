/**
 * Everything that makes git run a program or talk to another place, planted in a workspace: saving, facts and snapshots
 * run none of it, and the branch arrives at the right remote.
 */
import { execFile } from 'node:child_process';
import {
  appendFile,
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Place } from '../../src/sandbox/supervisor/place.ts';
import { readFacts } from '../../src/sandbox/supervisor/git-facts.ts';
import { runSnapshot } from '../../src/sandbox/supervisor/git-snapshot.ts';
import { startCanary, type Canary } from '../support/canary.ts';
import { git, startGitServer, type GitServer } from '../support/git-server.ts';
import { BRANCH, never, newWorkspace, type Workspace } from '../support/git-workspace.ts';

const execFileAsync = promisify(execFile);

let server: GitServer;
let workspace: Workspace;
let canary: Canary;
let name: string;
let number = 0;

beforeAll(async () => {
  server = await startGitServer();
  await server.repository('evil', { bare: 'empty' });
});
afterAll(() => server.close());

beforeEach(async () => {
  name = `demo-${(number += 1)}`;
  workspace = await newWorkspace(await server.repository(name));
  canary = await startCanary(workspace.root);
  const cloned = await workspace.clone();
  if (!cloned.ok) throw new Error(cloned.failure.detail);
});
afterEach(async () => {
  await canary.close();
  await workspace.close();
});

const inGit = (...path: string[]) => join(workspace.place.directory, '.git', ...path);

/** By hand: with some of the plants `git config` does not work here any more. */
const config = (key: string, value: string) => {
  const [, section = '', subsection, variable = ''] = /^([^.]+)(?:\.(.*))?\.([^.]+)$/.exec(key) ?? [];
  const header = subsection === undefined ? section : `${section} "${subsection.replace(/["\\]/g, '\\$&')}"`;
  return appendFile(inGit('config'), `[${header}]\n\t${variable} = "${value.replace(/["\\]/g, '\\$&')}"\n`);
};
const evilUrl = () => `${server.url}/evil.git`;

const snapshotSpec = {
  kind: 'snapshot',
  id: 'snapshot-1',
  wait_ms: 0,
  timeout_ms: 20_000,
  branch: BRANCH,
  max_bytes: 50_000_000,
} as const;

/** What the supervisor does with a workspace after an attempt. */
const useWorkspace = async (place: Place = workspace.place) => {
  const facts = await readFacts({ base: null, lastSaved: null }, place);
  const saved = await workspace.save();
  const snapshot = await runSnapshot(snapshotSpec, place, never);
  return { facts, saved, snapshot };
};

interface Plant {
  title: string;
  /** Plants of one group can stand together in one workspace; `null`: this one alone. */
  group: 'settings' | 'files' | null;
  plant: () => Promise<unknown>;
}

const setting = (key: string, value: () => string | Promise<string>): Plant => ({
  title: key,
  group: 'settings',
  plant: async () => config(key, await value()),
});

const HOOKS = [
  'pre-push',
  'pre-commit',
  'post-index-change',
  'reference-transaction',
  'post-checkout',
  'fsmonitor-watchman',
  'pre-receive',
  'update',
  'post-update',
  'push-to-checkout',
  'pre-auto-gc',
];

const plantHooks = async (folder: string) => {
  await mkdir(folder, { recursive: true });
  for (const hook of HOOKS) {
    await writeFile(join(folder, hook), `#!/bin/sh\n${canary.command(`hook-${hook}`)}\n`, { mode: 0o755 });
  }
};

const PLANTS: Plant[] = [
  { title: 'hooks in .git/hooks', group: 'settings', plant: () => plantHooks(inGit('hooks')) },
  {
    title: 'core.hooksPath',
    group: 'settings',
    plant: async () => {
      await plantHooks(join(workspace.root, 'hooks'));
      await config('core.hooksPath', join(workspace.root, 'hooks'));
    },
  },
  setting('core.fsmonitor', () => canary.program('fsmonitor')),
  {
    title: 'an fsmonitor that the index remembers',
    group: 'settings',
    plant: async () => {
      await config('core.fsmonitor', await canary.program('fsmonitor'));
      await workspace.git('update-index', '--fsmonitor').catch(() => undefined);
      await workspace.git('status').catch(() => undefined);
      await canary.forget();
    },
  },
  {
    title: 'filters with clean, smudge and process',
    group: 'settings',
    plant: async () => {
      for (const part of ['clean', 'smudge', 'process'])
        await config(`filter.evil.${part}`, canary.command(`filter-${part}`));
      await config('filter.evil.required', 'true');
    },
  },
  {
    title: 'textconv, diff command and external diff',
    group: 'settings',
    plant: async () => {
      await config('diff.evil.textconv', await canary.program('textconv'));
      await config('diff.evil.command', await canary.program('diff-command'));
      await config('diff.external', await canary.program('diff-external'));
    },
  },
  {
    title: 'attributes in .git/info and core.attributesFile',
    group: 'settings',
    plant: async () => {
      await writeFile(inGit('info', 'attributes'), '* filter=evil diff=evil\n');
      await writeFile(join(workspace.root, 'attributes'), '* filter=evil diff=evil\n');
      await config('core.attributesFile', join(workspace.root, 'attributes'));
      await config('filter.evil.clean', canary.command('filter-clean'));
    },
  },
  setting('credential.helper', () => `!${canary.command('credential-helper')}`),
  setting('core.askPass', () => canary.program('askpass')),
  setting('core.sshCommand', () => canary.command('ssh')),
  setting('core.gitProxy', () => canary.program('git-proxy')),
  setting('core.pager', () => canary.command('pager')),
  setting('core.editor', () => canary.command('editor')),
  setting('core.alternateRefsCommand', () => canary.program('alternate-refs')),
  setting('uploadpack.packObjectsHook', () => canary.program('pack-objects-hook')),
  setting('http.proxy', () => `http://127.0.0.1:${canary.port}`),
  {
    title: 'http.proxy of this very URL',
    group: 'settings',
    plant: () => config(`http.${server.url}/.proxy`, `http://127.0.0.1:${canary.port}`),
  },
  setting('http.extraHeader', () => 'X-Evil: 1'),
  {
    title: 'url.insteadOf',
    group: 'settings',
    plant: () => config(`url.${evilUrl()}.insteadOf`, `${server.url}/${name}.git`),
  },
  {
    title: 'url.pushInsteadOf',
    group: 'settings',
    plant: () => config(`url.${evilUrl()}.pushInsteadOf`, `${server.url}/${name}.git`),
  },
  {
    title: 'url.insteadOf to an ext:: transport',
    group: 'settings',
    plant: async () => config(`url.ext::${await canary.program('ext')} .insteadOf`, server.url),
  },
  setting('remote.origin.url', () => evilUrl()),
  setting('remote.origin.pushurl', () => evilUrl()),
  setting('remote.origin.receivepack', () => canary.program('receivepack')),
  setting('remote.origin.uploadpack', () => canary.program('uploadpack')),
  setting('remote.origin.vcs', () => 'evil'),
  {
    title: 'gpg.program with signed commits and pushes',
    group: 'settings',
    plant: async () => {
      await config('gpg.program', await canary.program('gpg'));
      for (const key of ['commit.gpgSign', 'push.gpgSign', 'tag.gpgSign', 'log.showSignature'])
        await config(key, 'true');
      await config('user.signingKey', 'evil');
    },
  },
  {
    title: 'include.path',
    group: 'settings',
    plant: async () => {
      await writeFile(inGit('evil-config'), `[core]\n\tfsmonitor = ${await canary.program('included')}\n`);
      await config('include.path', inGit('evil-config'));
    },
  },
  {
    title: 'aliases and pagers of the commands we use',
    group: 'settings',
    plant: async () => {
      for (const command of ['status', 'push', 'log', 'ls-remote', 'bundle', 'rev-list']) {
        await config(`alias.${command}`, `!${canary.command(`alias-${command}`)}`);
        await config(`pager.${command}`, canary.command(`pager-${command}`));
      }
    },
  },
  setting('core.worktree', () => workspace.root),
  setting('core.bare', () => 'true'),
  setting('core.repositoryFormatVersion', () => '99'),
  setting('extensions.evil', () => 'true'),
  {
    title: 'a configuration that is no configuration',
    group: null,
    plant: () => appendFile(inGit('config'), '[[[\n'),
  },
  {
    title: 'a promisor remote with a missing object',
    group: 'settings',
    plant: async () => {
      await config('extensions.partialClone', 'evil');
      await config('remote.evil.promisor', 'true');
      await config('remote.evil.url', `ext::${await canary.program('promisor')}`);
      await config('protocol.ext.allow', 'always');
    },
  },
  {
    title: 'replace refs and grafts',
    group: 'files',
    plant: async () => {
      const [head, base] = await Promise.all([workspace.head(), workspace.git('rev-parse', 'origin/main')]);
      await workspace.git('replace', '--force', head, base);
      await writeFile(inGit('info', 'grafts'), `${head}\n`);
    },
  },
  {
    title: 'an alternates file that points elsewhere',
    group: 'files',
    plant: async () => {
      await mkdir(inGit('objects', 'info'), { recursive: true });
      await writeFile(
        inGit('objects', 'info', 'alternates'),
        `${join(server.path('evil'), 'objects')}\n/nonexistent\n`,
      );
    },
  },
  {
    title: 'a commit graph of nonsense',
    group: 'files',
    plant: async () => {
      await mkdir(inGit('objects', 'info'), { recursive: true });
      await writeFile(inGit('objects', 'info', 'commit-graph'), 'CGPH nonsense');
      await writeFile(inGit('objects', 'pack', 'multi-pack-index'), 'MIDX nonsense');
    },
  },
  {
    title: 'a commondir file',
    group: 'files',
    plant: () => writeFile(inGit('commondir'), `${server.path('evil')}\n`),
  },
  {
    title: 'an index of nonsense',
    group: null,
    plant: () => writeFile(inGit('index'), 'DIRC nonsense '.repeat(10_000)),
  },
  { title: 'an empty index', group: null, plant: () => writeFile(inGit('index'), '') },
  {
    title: 'an index that is a link',
    group: null,
    plant: async () => {
      await rm(inGit('index'));
      await symlink('/etc/passwd', inGit('index'));
    },
  },
  {
    title: 'an index that is a FIFO',
    group: null,
    plant: async () => {
      await rm(inGit('index'));
      await execFileAsync('mkfifo', [inGit('index')]);
    },
  },
  {
    title: 'FIFOs and links among the refs',
    group: 'files',
    plant: async () => {
      await execFileAsync('mkfifo', [
        inGit('refs', 'heads', 'fifo'),
        inGit('refs', 'heads', 'symphony', 'fifo'),
      ]);
      await symlink('/etc/passwd', inGit('refs', 'heads', 'link'));
      await symlink('/etc', inGit('refs', 'heads', 'folder'));
    },
  },
  {
    title: 'a submodule and a nested repository with programs of their own',
    group: 'files',
    plant: async () => {
      for (const folder of ['nested', 'module']) {
        const path = join(workspace.place.directory, folder);
        await git(workspace.place.directory, 'init', '--quiet', folder);
        await git(path, 'commit', '--quiet', '--allow-empty', '-m', 'inner');
        await git(path, 'config', 'core.fsmonitor', await canary.program(`inner-${folder}`));
        await writeFile(join(path, 'inner.txt'), 'x');
      }
      const sha = await git(join(workspace.place.directory, 'module'), 'rev-parse', 'HEAD');
      await workspace.git('update-index', '--add', '--cacheinfo', `160000,${sha},module`);
      await workspace.write({
        '.gitmodules':
          '[submodule "module"]\n\tpath = module\n\turl = ext::evil\n\tupdate = !false\n\tignore = none\n',
      });
    },
  },
  {
    title: 'files of another owner',
    group: 'files',
    plant: async () => {
      await execFileAsync('chown', ['-R', '12345:12345', workspace.place.directory]);
      await chmod(workspace.place.directory, 0o755);
    },
  },
  {
    title: 'a home folder with .gitconfig, .netrc and an XDG configuration',
    group: 'files',
    plant: async () => {
      const home = join(workspace.root, 'home');
      const evil = `[core]\n\tfsmonitor = ${await canary.program('home')}\n[http]\n\tproxy = http://127.0.0.1:${canary.port}\n`;
      await mkdir(join(home, '.config', 'git'), { recursive: true });
      await writeFile(join(home, '.gitconfig'), evil);
      await writeFile(join(home, '.config', 'git', 'config'), evil);
      await writeFile(join(home, '.config', 'git', 'attributes'), '* filter=evil\n');
      await writeFile(join(home, '.netrc'), 'machine 127.0.0.1 login evil password evil\n');
    },
  },
];

const together = (group: Plant['group'], title: string): Plant => ({
  title,
  group,
  plant: async () => {
    for (const plant of PLANTS) if (plant.group === group) await plant.plant();
  },
});

const CASES = [
  together('settings', 'every setting at once'),
  together('files', 'every planted file at once'),
  ...PLANTS.filter(({ group }) => group === null || process.env['TEST_LONG']),
];

describe('a hostile workspace', () => {
  test.each(CASES)('$title: nothing runs, the branch arrives', async ({ plant }) => {
    await workspace.write({ '.gitattributes': '* filter=evil diff=evil merge=evil\n' });
    const head = await workspace.commit('work');
    await plant();
    // By hand: with some of the plants no git works here any more.
    await writeFile(join(workspace.place.directory, 'README.md'), 'changed\n');
    await writeFile(join(workspace.place.directory, 'untracked.txt'), 'new\n');
    const before = await listing();
    const { facts, saved, snapshot } = await useWorkspace();
    expect(await canary.traces()).toEqual([]);
    expect(facts).toMatchObject({ head, head_branch: BRANCH });
    expect(facts.uncommitted.files).toEqual(expect.arrayContaining(['README.md', 'untracked.txt']));
    expect(saved).toMatchObject({ status: 'saved', sha: head, failure: null });
    expect(snapshot).toMatchObject({ status: expect.stringMatching(/written|skipped/) });
    expect(await server.sha(name, BRANCH)).toBe(head);
    expect(await server.git('evil', 'for-each-ref')).toBe('');
    expect(await listing()).toEqual(before);
  });

  test('plain git runs these programs: the canaries are alive', async () => {
    await workspace.write({ '.gitattributes': '* filter=evil diff=evil\n' });
    await workspace.commit('work');
    await plantHooks(inGit('hooks'));
    await config('core.fsmonitor', await canary.program('fsmonitor'));
    await config('filter.evil.clean', canary.command('filter-clean'));
    await config('diff.external', await canary.program('diff-external'));
    await config('credential.helper', `!${canary.command('credential-helper')}`);
    await config('core.alternateRefsCommand', await canary.program('alternate-refs'));
    await writeFile(join(workspace.place.directory, 'README.md'), 'changed\n');
    await workspace.git('status');
    await workspace.git('diff');
    server.mode = 'auth';
    await workspace.git('push', `${server.url}/${name}.git`, 'HEAD').catch(() => undefined);
    server.mode = 'up';
    await workspace.git('push', `${server.url}/${name}.git`, 'HEAD').catch(() => undefined);
    await config('http.proxy', `http://127.0.0.1:${canary.port}`);
    await workspace.git('ls-remote', `${server.url}/${name}.git`).catch(() => undefined);
    expect(await canary.traces()).toEqual(
      expect.arrayContaining([
        'credential-helper',
        'diff-external',
        'filter-clean',
        'fsmonitor',
        'hook-pre-push',
        'port',
      ]),
    );
  });
});

/** Names, sizes and times of everything in `.git`: saving changes nothing there. (Git renews the times of objects.) */
const listing = async () => {
  const found: string[] = [];
  for (const entry of await readdir(inGit(), { recursive: true, withFileTypes: true })) {
    const stats = await lstat(join(entry.parentPath, entry.name));
    const time = entry.parentPath.includes('/objects/') ? '' : stats.mtimeMs;
    found.push(`${entry.parentPath}/${entry.name} ${stats.size} ${time}`);
  }
  return found.sort();
};

/** Another repository of this machine, with a commit that nobody may publish. */
const secretRepository = async () => {
  const path = join(workspace.root, 'secret');
  await git(workspace.root, 'init', '--quiet', 'secret');
  await writeFile(join(path, 'secret.txt'), 'secret');
  await git(path, 'add', '.');
  await git(path, 'commit', '--quiet', '-m', 'secret');
  return { path, sha: await git(path, 'rev-parse', 'HEAD') };
};

describe('what is outside stays outside', () => {
  test.each([
    [
      'alternates',
      async (objects: string) => {
        await mkdir(inGit('objects', 'info'), { recursive: true });
        await writeFile(inGit('objects', 'info', 'alternates'), `${objects}\n`);
      },
    ],
    [
      'a linked fan-out folder',
      async (objects: string) => {
        for (const folder of await readdir(objects)) {
          if (!/^[0-9a-f]{2}$/.test(folder)) continue;
          await rm(inGit('objects', folder), { recursive: true, force: true });
          await symlink(join(objects, folder), inGit('objects', folder));
        }
      },
    ],
    [
      'linked objects',
      async (objects: string) => {
        for (const folder of await readdir(objects)) {
          if (!/^[0-9a-f]{2}$/.test(folder)) continue;
          await mkdir(inGit('objects', folder), { recursive: true });
          for (const file of await readdir(join(objects, folder))) {
            await symlink(join(objects, folder, file), inGit('objects', folder, file)).catch(() => undefined);
          }
        }
      },
    ],
    [
      'a linked pack',
      async (objects: string) => {
        await git(join(objects, '..', '..'), 'repack', '-a', '-d', '--quiet');
        await mkdir(inGit('objects', 'pack'), { recursive: true });
        for (const file of await readdir(join(objects, 'pack'))) {
          await symlink(join(objects, 'pack', file), inGit('objects', 'pack', file));
        }
      },
    ],
  ])('%s: the commits of another repository are not published', async (_title, link) => {
    const head = await workspace.commit('work');
    const { path, sha } = await secretRepository();
    await link(join(path, '.git', 'objects'));
    await mkdir(inGit('refs', 'heads'), { recursive: true });
    await writeFile(inGit('refs', 'heads', 'stolen'), `${sha}\n`);
    const { saved } = await useWorkspace();
    expect(saved).toMatchObject({ status: 'failed', failure: { reason: 'other' } });
    expect(await server.git(name, 'for-each-ref', '--format=%(objectname)')).not.toContain(sha);
    expect(await server.sha(name, BRANCH)).toBe(head);
    await expect(server.git(name, 'cat-file', '-e', sha)).rejects.toThrow(/Command failed/);
  });

  test.each([
    [
      'a link',
      async () => {
        await rename(inGit(), join(workspace.root, 'moved'));
        await symlink(join(workspace.root, 'moved'), inGit());
      },
    ],
    [
      'a file',
      async () => {
        await rename(inGit(), join(workspace.root, 'moved'));
        await writeFile(inGit(), `gitdir: ${join(workspace.root, 'moved')}\n`);
      },
    ],
    [
      'another repository',
      async () => {
        await rename(inGit(), join(workspace.root, 'moved'));
        await git(workspace.place.directory, 'init', '--quiet');
      },
    ],
  ])('.git as %s is damage, not a repository', async (_title, swap) => {
    await workspace.commit('work');
    await swap();
    const { saved, snapshot, facts } = await useWorkspace();
    expect(saved).toMatchObject({ status: 'failed', failure: { reason: 'other' } });
    expect(saved.failure?.detail).toMatch(/\.git is/);
    expect(snapshot.status).toBe('skipped');
    expect(facts.head).toBeNull();
    expect(await server.sha(name, BRANCH)).toBeNull();
  });

  test('an object store that is a link is damage', async () => {
    await rename(inGit('objects'), join(workspace.root, 'objects'));
    await symlink(join(workspace.root, 'objects'), inGit('objects'));
    expect((await workspace.save()).failure?.detail).toContain('.git/objects is not a folder');
  });

  test('packed refs that are a link fail the save, for they may name more branches', async () => {
    const head = await workspace.commit('work');
    await rm(inGit('packed-refs'));
    await symlink('/etc/passwd', inGit('packed-refs'));
    const saved = await workspace.save();
    expect(saved).toMatchObject({ status: 'failed', sha: head, failure: { detail: /packed-refs/ } });
    expect(await server.sha(name, BRANCH)).toBe(head);
  });

  test('a HEAD that leads out of the repository names no branch', async () => {
    await writeFile(join(workspace.root, 'outside'), `${await workspace.head()}\n`);
    await writeFile(inGit('HEAD'), 'ref: refs/heads/../../../../outside\n');
    expect((await workspace.save()).failure?.detail).toContain('.git/HEAD cannot be read');
  });
});

describe('a planted environment', () => {
  test("git's variables of the supervisor and of the place are not handed on", async () => {
    const head = await workspace.commit('work');
    const evil = {
      GIT_DIR: server.path('evil'),
      GIT_SSH_COMMAND: canary.command('ssh'),
      GIT_EXTERNAL_DIFF: await canary.program('external-diff'),
      GIT_CONFIG_GLOBAL: inGit('config'),
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: await canary.program('fsmonitor'),
      GIT_CONFIG_KEY_1: `url.${evilUrl()}.insteadOf`,
      GIT_CONFIG_VALUE_1: server.url,
      GIT_OBJECT_DIRECTORY: join(workspace.root, 'nowhere'),
      GIT_EXEC_PATH: join(workspace.root, 'nowhere'),
      GIT_TRACE: join(workspace.root, 'trace'),
    };
    const place = { ...workspace.place, gitEnv: { ...workspace.place.gitEnv, ...evil } };
    const before = { ...process.env };
    Object.assign(process.env, evil);
    try {
      const facts = await readFacts({ base: null, lastSaved: null }, place);
      expect(facts.head).toBe(head);
      expect(await runSnapshot(snapshotSpec, place, never)).toMatchObject({ status: 'written' });
      expect(await workspace.save()).toMatchObject({ status: 'saved', sha: head });
    } finally {
      for (const key of Object.keys(evil)) delete process.env[key];
      Object.assign(process.env, before);
    }
    expect(await canary.traces()).toEqual([]);
    await expect(readFile(join(workspace.root, 'trace'))).rejects.toThrow(/ENOENT/);
  });

  test('a planted /etc/gitconfig and /etc/gitattributes run nothing', async ({ skip }) => {
    const etc = join(workspace.root, 'etc');
    await mkdir(etc);
    const evil = `[core]\n\tfsmonitor = ${await canary.program('system')}\n[url "${evilUrl()}"]\n\tinsteadOf = ${server.url}\n`;
    await writeFile(
      join(etc, 'gitconfig'),
      `${evil}[filter "evil"]\n\tclean = ${canary.command('system-filter')}\n`,
    );
    await writeFile(join(etc, 'gitattributes'), '* filter=evil\n');
    await writeFile(join(etc, 'passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
    const jail = ['--dev-bind', '/', '/', '--ro-bind', etc, '/etc', '--die-with-parent'];
    await execFileAsync('bwrap', [...jail, 'true']).catch(() => skip('bubblewrap does not work here'));
    await workspace.write({ 'README.md': 'changed' });
    const plain = ['git', '-C', workspace.place.directory, 'status'];
    await execFileAsync('bwrap', [...jail, ...plain]).catch(() => undefined);
    expect(await canary.traces()).toContain('system');
    await canary.forget();

    const head = await workspace.commit('work');
    const url = `${server.url}/${name}.git`;
    const script = fileURLToPath(new URL('../support/save-once.ts', import.meta.url));
    const input = JSON.stringify({ place: workspace.place, url, branch: BRANCH });
    const { stdout } = await execFileAsync('bwrap', [...jail, process.execPath, script, input]);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'saved', sha: head });
    expect(await server.sha(name, BRANCH)).toBe(head);
    expect(await canary.traces()).toEqual([]);
  });
});

test('an owner that is not ours does not hinder a save', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root can give files away');
  const head = await workspace.commit('work');
  await chown(workspace.place.directory, 4242, 4242);
  await chown(inGit(), 4242, 4242);
  await expect(workspace.git('log')).rejects.toThrow(/dubious ownership/);
  expect(await workspace.save()).toMatchObject({ status: 'saved', sha: head });
});
