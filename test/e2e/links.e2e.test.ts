/**
 * A workspace, its `.git` or a folder above it swapped for a link: every call answers with a typed error, and nothing outside is read,
 * written or deleted. On a plain host, where an agent can do that; a namespace's or container's mount stays where it is.
 */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkspaceDetail } from '../../src/core/api.ts';
import { findSecrets, readTree } from '../support/secret-search.ts';
import { startTestStack, type TestProject, type TestStack } from '../support/stack.ts';
import { useTerminal } from '../support/terminal-client.ts';

const SECRET = 'outside-secret-5f0c7a1e';
const HOOKS = ['before_run', 'after_run', 'before_remove'];
const WORKFLOW = `hooks:
${HOOKS.map((hook) => `  ${hook}: echo ${hook} >> "$TRACE"; echo ${hook} >> written.txt`).join('\n')}
agent:
  max_attempts: 1
  command: echo agent >> "$TRACE"; echo x >> work.txt; git add work.txt; git commit -qm work`;
const KEY = '/workspaces/ABC-1';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

const itself = (path: string) => path;
const git = (path: string) => join(path, '.git');

interface Swapped {
  project: TestProject;
  path: string;
  /** What lies where the link leads to, and must stay as it is. */
  outside: string;
  isUnchanged(): void;
}

/** A workspace whose attempt succeeded, then `part` of it (or the folder above) replaced by a link to a copy outside. */
async function swapped(part: (path: string) => string): Promise<Swapped> {
  const project = await stack.project({ workflow: WORKFLOW });
  const { path } = await project.run('ABC-1', { state: 'Todo' });
  const from = part(path ?? '');
  const outside = join(stack.folder, `outside-${project.id}`);
  cpSync(from, outside, { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  renameSync(from, `${from}.moved-${project.id}`);
  symlinkSync(outside, from);
  rmSync(project.tracePath);
  const before = digest(outside);
  const isUnchanged = () => {
    expect(lstatSync(from).isSymbolicLink() && readlinkSync(from)).toBe(outside);
    expect(digest(outside)).toEqual(before);
    expect(project.trace()).toEqual([]);
  };
  return { project, path: path ?? '', outside, isUnchanged };
}

/** Names, contents and times of all that is there. */
const digest = (folder: string) =>
  [...readTree(folder, '')].map(([name, bytes]) => [
    name,
    bytes.toString('base64'),
    lstatSync(join(folder, name)).mtimeMs,
  ]);

async function ask({ project }: Swapped, method: string, rest: string, body?: string) {
  const answer = await fetch(`${stack.stack.url}${project.path(`${KEY}${rest}`)}`, {
    method,
    headers: {
      authorization: `Bearer ${stack.stack.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/octet-stream' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  expect(text).not.toContain(SECRET);
  return { status: answer.status, code: (/"code":"(\w+)"/.exec(text) ?? [])[1] ?? text };
}

const useFiles = async (place: Swapped) => [
  await ask(place, 'GET', '/files?path='),
  await ask(place, 'GET', '/files?path=secret.txt'),
  await ask(place, 'PUT', '/files?path=written.txt', 'x'),
];

async function save({ project }: Swapped): Promise<WorkspaceDetail> {
  await stack.api.call('POST', project.path(`${KEY}/save`));
  return project.until('ABC-1', 'tried to save', ({ in_use, saved }) => !in_use && saved.status === 'failed');
}

const nothingOutsideIsPublished = async (project: TestProject) => {
  const objects = await stack.server.git(project.id, 'rev-list', '--all', '--objects');
  expect(objects).not.toContain('secret.txt');
};

describe.concurrent('a workspace that became a link', () => {
  test('has no files to show or to write, and opens no terminal', async () => {
    const place = await swapped(itself);
    const refused = { status: 403, code: 'forbidden' };
    expect(await useFiles(place)).toEqual([refused, refused, refused]);
    const screen = await useTerminal(
      stack.stack,
      place.project.path(KEY),
      'cat secret.txt; touch written.txt',
    );
    expect(screen).toMatch(/^403 .*forbidden/s);
    place.isUnchanged();
  });

  test('is not saved, runs no hook, and is kept at its removal until a person looks at it', async () => {
    const place = await swapped(itself);
    const { project } = place;
    expect((await save(place)).saved.reason).toMatch(/link/);
    await project.run('ABC-1');
    expect(await project.attempt('ABC-1', 2)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'workspace_damaged', detail: expect.stringContaining('link') },
    });
    await project.setState('ABC-1', 'Done');
    const kept = await project.status('ABC-1', 'kept');
    expect(kept.kept?.reason).toMatch(/link/);
    await project.remove('ABC-1', '?discard=true');
    await project.until('ABC-1', 'kept again', ({ kept: now }) => now !== null);
    place.isUnchanged();
    await nothingOutsideIsPublished(project);
  });
});

describe.concurrent('a .git that became a link', () => {
  test('is not saved, runs no hook, and nothing of it is deleted with the workspace', async () => {
    const place = await swapped(git);
    const { project, path } = place;
    expect((await save(place)).saved.reason).toMatch(/\.git is gone, or is a link/);
    await project.run('ABC-1');
    expect((await project.attempt('ABC-1', 2)).failure?.code).toBe('workspace_damaged');
    expect(await ask(place, 'GET', '/files?path=.git/secret.txt')).toEqual({
      status: 403,
      code: 'forbidden',
    });
    expect(await ask(place, 'PUT', '/files?path=.git/written.txt', 'x')).toEqual({
      status: 403,
      code: 'forbidden',
    });
    place.isUnchanged();
    const before = digest(place.outside);
    await nothingOutsideIsPublished(project);
    await project.remove('ABC-1', '?discard=true');
    await project.status('ABC-1', 'removed');
    expect(existsSync(path)).toBe(false);
    expect(digest(place.outside)).toEqual(before);
  });
});

describe.concurrent('a folder above that became a link', () => {
  test('every call is refused, and a removal deletes nothing', async () => {
    const place = await swapped(dirname);
    const { project } = place;
    const refused = { status: 403, code: 'forbidden' };
    expect(await useFiles(place)).toEqual([refused, refused, refused]);
    expect(await useTerminal(stack.stack, project.path(KEY), 'touch written.txt')).toMatch(
      /^403 .*forbidden/s,
    );
    await project.run('ABC-1');
    expect((await project.attempt('ABC-1', 2)).failure?.code).toBe('workspace_damaged');
    await project.remove('ABC-1', '?discard=true');
    await project.until('ABC-1', 'kept', ({ kept }) => kept !== null);
    place.isUnchanged();
  });
});

describe.concurrent('links in a workspace', () => {
  test('lead no file access out of it', async () => {
    const project = await stack.project({ workflow: WORKFLOW });
    const { path } = await project.run('ABC-1', { state: 'Todo' });
    const outside = join(stack.folder, `outside-${project.id}`);
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.txt'), SECRET);
    symlinkSync(join(outside, 'secret.txt'), join(path ?? '', 'file'));
    symlinkSync(outside, join(path ?? '', 'folder'));
    const place: Swapped = { project, path: path ?? '', outside, isUnchanged: () => undefined };
    const around = `${relative(path ?? '', outside)}/secret.txt`;
    for (const [method, at] of [
      ['GET', around],
      ['PUT', around],
      ['GET', 'file'],
      ['GET', 'folder'],
      ['GET', 'folder/secret.txt'],
      ['PUT', 'file'],
      ['PUT', 'folder/secret.txt'],
      ['PUT', 'folder/new.txt'],
    ] as const)
      expect([
        method,
        at,
        await ask(place, method, `/files?path=${at}`, method === 'PUT' ? 'x' : undefined),
      ]).toEqual([method, at, { status: 403, code: 'forbidden' }]);
    await project.setState('ABC-1', 'Done');
    await project.status('ABC-1', 'removed');
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
    expect(existsSync(join(outside, 'new.txt'))).toBe(false);
  });
});

test('an agent that swaps its own workspace in the middle of an attempt gets no hook and no save outside', async () => {
  const outside = join(stack.folder, 'outside-swap');
  const project = await stack.project({
    workflow: `${WORKFLOW}; cp -a "$PWD" "${outside}"; cp "$TRACE.secret" "${outside}/secret.txt"; git -C "${outside}" add .; git -C "${outside}" commit -qm evil; mv "$PWD" "$PWD.moved"; ln -s "${outside}" "$PWD"`,
  });
  writeFileSync(`${project.tracePath}.secret`, SECRET);
  const { saved } = await project.run('ABC-1', { state: 'Todo' });
  expect(project.trace()).toEqual(['before_run', 'agent']);
  expect(saved.status).not.toBe('saved');
  expect(readFileSync(join(outside, 'written.txt'), 'utf8')).toBe('before_run\n');
  await nothingOutsideIsPublished(project);
  const disk = readTree(join(stack.folder, 'state'), 'state');
  expect(findSecrets({ SECRET }, disk)).toEqual([]);
  await project.remove('ABC-1', '?discard=true');
  await project.until('ABC-1', 'kept', ({ kept }) => kept !== null);
  expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
});
