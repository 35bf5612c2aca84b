import { describe, expect, test } from 'vitest';
import { answered, buildOpen, buildScript, newId, refusal, run } from '../session.ts';
import type { Session } from '../session.ts';
import type { Way } from '../way.ts';
import { withSession } from './with-session.ts';

async function readText(
  { client, target }: Session,
  path: string,
): Promise<{ text: string; etag: string | null }> {
  const found = answered(await client.readPath(target, path));
  if (found.kind === 'folder') throw new Error(`${path} is a folder`);
  return { text: await new Response(found.file.body).text(), etag: found.file.etag };
}

export function describeFiles(way: Way): void {
  describe('files', () => {
    const session = withSession(way);
    const write = (path: string, text: string, ifMatch: string | null = null) => {
      const { client, target } = session();
      return client.writeFile(target, { path, bytes: new TextEncoder().encode(text), ifMatch });
    };

    test('a folder is listed', async () => {
      await run(
        session(),
        'mkdir -p list/sub; printf abc >list/file; ln -s file list/link; mkfifo list/pipe',
      );
      const { client, target } = session();
      const found = answered(await client.readPath(target, 'list'));
      if (found.kind !== 'folder') throw new Error('not a folder');
      const kinds = Object.fromEntries(found.list.entries.map(({ name, kind }) => [name, kind]));
      expect(kinds).toEqual({ sub: 'folder', file: 'file', link: 'link', pipe: 'other' });
      expect(found.list.entries.find(({ name }) => name === 'file')).toMatchObject({ size: 3 });
    });

    test('what was written is read again, and a script sees it', async () => {
      const etag = answered(await write('note ä🙂.txt', 'hello'));
      expect(await readText(session(), 'note ä🙂.txt')).toEqual({ text: 'hello', etag });
      expect((await run(session(), 'cat note*')).stdout.text).toBe('hello');
    });

    test('a write with the wrong If-Match is file_changed and changes nothing', async () => {
      const first = answered(await write('a.txt', 'one'));
      const second = answered(await write('a.txt', 'two', first));
      expect(refusal(await write('a.txt', 'three', first))).toBe('file_changed');
      expect(refusal(await write('new.txt', 'three', first))).toBe('file_changed');
      expect(await readText(session(), 'a.txt')).toEqual({ text: 'two', etag: second });
    });

    test('an executable file stays executable', async () => {
      await run(session(), 'echo "echo old" >tool; chmod 755 tool');
      await write('tool', '#!/bin/sh\necho new\n');
      expect((await run(session(), './tool')).stdout.text).toBe('new\n');
    });

    test.each(['missing.txt', 'missing/file', 'a.txt/below'])('%s is file_not_found', async (path) => {
      await write('a.txt', 'x');
      const { client, target } = session();
      expect(refusal(await client.readPath(target, path))).toBe('file_not_found');
    });

    test.each(['../outside', '/etc/passwd', 'a/../../outside', '..', '.', 'list/..', ''])(
      'writing to %j is refused',
      async (path) => {
        expect(['path_refused', 'file_not_found']).toContain(refusal(await write(path, 'x')));
      },
    );

    test('links lead nowhere outside, and are not written through', async () => {
      await run(
        session(),
        `ln -s /etc/passwd out; ln -s / root; ln -s .. up; echo inside >real; ln -s real in`,
      );
      const { client, target } = session();
      for (const path of ['out', 'root/etc/passwd', 'up', 'root', '../..', '/etc/passwd', 'a\0b']) {
        expect([path, refusal(await client.readPath(target, path))]).toEqual([path, 'path_refused']);
      }
      for (const path of ['out', 'root/tmp/edge-harness-pwned', 'up/pwned', 'in']) {
        expect([path, refusal(await write(path, 'x'))]).toEqual([path, 'path_refused']);
      }
      expect((await readText(session(), 'in')).text).toBe('inside\n');
      expect((await run(session(), 'ls /tmp/edge-harness-pwned ../pwned; cat real')).stdout.text).toBe(
        'inside\n',
      );
    });

    test('what lies outside is refused whether it is there or not', async () => {
      await run(session(), 'ln -s /nowhere dangling; ln -s /etc away; ln -s nowhere inside');
      const { client, target } = session();
      const outside = [
        '../gone',
        '../../gone/file',
        'away/gone',
        'dangling',
        'dangling/file',
        'x/../../gone',
      ];
      for (const path of outside) {
        expect([path, refusal(await client.readPath(target, path))]).toEqual([path, 'path_refused']);
        expect([path, refusal(await write(`${path}/file`, 'x'))]).toEqual([path, 'path_refused']);
      }
      expect(refusal(await client.readPath(target, 'gone/../gone'))).toBe('file_not_found');
    });

    test('a file too large to be read can be replaced, and has no version to ask for', async () => {
      await run(session(), 'truncate -s 3G huge');
      expect(refusal(await write('huge', 'x', '"0123"'))).toBe('file_changed');
      answered(await write('huge', 'small'));
      expect((await readText(session(), 'huge')).text).toBe('small');
    });

    test('a name that no file can have is refused', async () => {
      expect(refusal(await write('x'.repeat(300), 'x'))).toBe('path_refused');
    });

    test('pipes and devices are refused without waiting', async () => {
      await run(session(), 'mkfifo pipe; ln -s /dev/zero zero');
      const { client, target } = session();
      for (const path of ['pipe', 'zero'])
        expect(refusal(await client.readPath(target, path))).toBe('path_refused');
      expect(refusal(await write('pipe', 'x'))).toBe('path_refused');
    });

    test('over 8 MiB is too_large both ways', async () => {
      await run(session(), 'head -c 9000000 /dev/zero >large');
      const { client, target } = session();
      expect(refusal(await client.readPath(target, 'large'))).toBe('too_large');
      const reply = await write('large2', 'x'.repeat(9_000_000));
      // The connection may be cut before the whole body is sent.
      expect(reply.kind === 'unreachable' ? 'too_large' : refusal(reply)).toBe('too_large');
    });

    test('a folder that is a link to another one runs no script, whoever it belongs to', async () => {
      const { target } = session();
      const away = `${target.directory}-away`;
      await run(session(), `mv "${target.directory}" "${away}" && ln -s "${away}" "${target.directory}"`);
      const { client } = session();
      const reply = await client.start(target, buildScript('touch /tmp/edge-harness-pwned'));
      expect(refusal(reply)).toBe('workspace_damaged');
      const opened = await client.open(
        buildOpen(session().reached, {
          creation_id: target.creationId,
          claim: false,
          directory: target.directory,
        }),
      );
      expect(answered(opened).files).toBe('damaged');
    });
  });

  describe('snapshots', () => {
    const session = withSession(way);

    test('bytes go in and come out, and are gone when dropped', async () => {
      const { client, target } = session();
      const bytes = crypto.getRandomValues(new Uint8Array(60_000));
      const id = newId();
      expect(refusal(await client.readSnapshot(target, id))).toBe('not_found');
      answered(await client.writeSnapshot(target, id, bytes));
      const read = answered(await client.readSnapshot(target, id));
      expect(read.size).toBe(bytes.length);
      expect(new Uint8Array(await new Response(read.body).arrayBuffer())).toEqual(bytes);
      answered(await client.dropSnapshot(target, id));
      answered(await client.dropSnapshot(target, id));
      expect(refusal(await client.readSnapshot(target, id))).toBe('not_found');
    });

    test('an id with a path in it is no snapshot', async () => {
      const { client, target } = session();
      expect(refusal(await client.readSnapshot(target, '../claim'))).toBe('not_found');
      expect(refusal(await client.writeSnapshot(target, '../claim', 'x'))).toBe('not_found');
    });
  });
}
