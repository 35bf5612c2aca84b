import { describe, expect, test } from 'vitest';
import { AGENT_OUTPUT, HOOK_OUTPUT } from '../../../src/sandbox/protocol.ts';
import { answered, run, start, waitForEnd, waitForText } from '../session.ts';
import type { Way } from '../way.ts';
import { withSession } from './with-session.ts';

const HOOK_LIMIT = HOOK_OUTPUT.headBytes + HOOK_OUTPUT.tailBytes;
const AGENT_LIMIT = AGENT_OUTPUT.headBytes + AGENT_OUTPUT.tailBytes;

const bytesOf = (text: string): number => Buffer.byteLength(text);

export function describeOutput(way: Way): void {
  describe('output', () => {
    const session = withSession(way);

    test('stdout and stderr are apart and whole', async () => {
      const view = await run(session(), 'echo out; echo err >&2; printf "no newline"');
      expect(view.stdout).toEqual({ text: 'out\nno newline', total_bytes: 14, truncated: false });
      expect(view.stderr).toEqual({ text: 'err\n', total_bytes: 4, truncated: false });
    });

    test('just within the limit nothing is missing', async () => {
      const view = await run(session(), `head -c ${HOOK_LIMIT} /dev/zero | tr '\\0' x`);
      expect(view.stdout.text).toBe('x'.repeat(HOOK_LIMIT));
      expect(view.stdout).toMatchObject({ total_bytes: HOOK_LIMIT, truncated: false });
    });

    test('over the limit the first and the last bytes are kept, and a marker says how many are missing', async () => {
      const view = await run(session(), `echo first; head -c 200000 /dev/zero | tr '\\0' x; echo last`);
      const { text, total_bytes, truncated } = view.stdout;
      expect({ total_bytes, truncated }).toEqual({ total_bytes: 200_011, truncated: true });
      expect(bytesOf(text)).toBeLessThanOrEqual(HOOK_LIMIT);
      expect(text.startsWith('first\nxxx')).toBe(true);
      expect(text.endsWith('xxxlast\n')).toBe(true);
      expect(text).toContain(`\n[… ${200_011 - HOOK_LIMIT} bytes left out …]\n`);
    });

    test('300 MB are kept within the limit, in constant memory', async () => {
      const memory = session().reached.memoryBytes;
      const before = memory?.() ?? 0;
      const id = await start(session(), `echo first; yes "$LINE" | head -c 300000000; echo; echo last 🙂`, {
        env: { LINE: 'a line of output with an emoji 🙂' },
      });
      let most = 0;
      const watch = setInterval(() => (most = Math.max(most, memory?.() ?? 0)), 50);
      const { stdout, outcome } = await waitForEnd(session(), id);
      clearInterval(watch);
      expect(outcome).toBe('ok');
      expect(stdout.total_bytes).toBe(300_000_000 + 'first\n'.length + '\n'.length + bytesOf('last 🙂\n'));
      expect(bytesOf(stdout.text)).toBeLessThanOrEqual(HOOK_LIMIT);
      expect(stdout.text.endsWith('last 🙂\n')).toBe(true);
      expect(most - before).toBeLessThan(100 * 1024 * 1024);
    });

    test('100 KB of random bytes become valid UTF-8 within the limit', async () => {
      const view = await run(session(), 'head -c 100000 /dev/urandom');
      expect(view.stdout.total_bytes).toBe(100_000);
      expect(bytesOf(view.stdout.text)).toBeLessThanOrEqual(HOOK_LIMIT);
      expect(view.stdout.text.isWellFormed()).toBe(true);
    });

    test.each([0, 1, 2, 3])(
      'an emoji across the cuts is kept or left out, never split (shift %i)',
      async (shift) => {
        const view = await run(session(), `printf '%*s' ${shift} ''; yes 🙂 | tr -d '\\n' | head -c 400000`);
        const { text } = view.stdout;
        expect(text).not.toContain('\uFFFD');
        expect(bytesOf(text)).toBeLessThanOrEqual(HOOK_LIMIT);
        expect(
          text
            .replace(/\n\[… \d+ bytes left out …\]\n/, '')
            .replaceAll('🙂', '')
            .trim(),
        ).toBe('');
      },
    );

    test('a character that arrives in two writes is one character', async () => {
      const view = await run(
        session(),
        `printf '\\xf0\\x9f'; sleep 0.2; printf '\\x99\\x82'; printf '\\xe2\\x82'`,
      );
      expect(view.stdout.text).toBe('🙂\uFFFD');
    });

    test('an agent’s output has larger limits', async () => {
      const view = await run(session(), `head -c 6000000 /dev/zero | tr '\\0' x`, { role: 'agent' });
      expect(bytesOf(view.stdout.text)).toBeGreaterThan(AGENT_LIMIT - 100);
      expect(bytesOf(view.stdout.text)).toBeLessThanOrEqual(AGENT_LIMIT);
    });

    test('it can be read while the script runs, from any offset on', async () => {
      const id = await start(session(), 'for i in 1 2 3; do echo "tick $i"; sleep 0.3; done; sleep 30');
      await waitForText(session(), id, 'tick 2\n');
      const { client, target } = session();
      const query = { waitMs: 5000, stdoutOffset: 14, stderrOffset: 0, output: 'none' } as const;
      const view = answered(await client.poll(target, id, query));
      expect(view).toMatchObject({ state: 'running', outcome: null });
      expect(view.stdout.text).toBe('');
      expect(view.chunks?.stdout).toEqual({ from: 14, next: 21, text: 'tick 3\n' });
      expect(view.chunks?.stderr).toEqual({ from: 0, next: 0, text: '' });
      await client.cancel(target, id);
    });

    test('chunks add up to the output; where text is gone the next chunk begins later', async () => {
      const script = `for i in $(seq 1 20000); do echo "line $i 🙂"; done`;
      const { client, target } = session();
      const { id } = await run(session(), script, { role: 'agent' });
      let text = '';
      for (let offset = 0; ;) {
        const view = answered(await client.poll(target, id, { stdoutOffset: offset, output: 'none' }));
        const chunk = view.chunks?.stdout;
        if (chunk === undefined || chunk.text === '') break;
        expect(chunk.from).toBe(offset);
        text += chunk.text;
        offset = chunk.next;
      }
      expect(text).toBe(Array.from({ length: 20_000 }, (_, index) => `line ${index + 1} 🙂\n`).join(''));

      const short = await run(session(), script);
      const gap = answered(await client.poll(target, short.id, { stdoutOffset: 100_000, output: 'none' }));
      expect(gap.chunks?.stdout.from).toBeGreaterThan(200_000);
      expect(gap.chunks?.stdout.text.endsWith('line 20000 🙂\n')).toBe(true);
    });

    test('a long-poll without news comes back after its time', async () => {
      const id = await start(session(), 'sleep 30');
      const startedAt = Date.now();
      const { client, target } = session();
      const view = answered(await client.poll(target, id, { waitMs: 500 }));
      expect(view.state).toBe('running');
      expect(Date.now() - startedAt).toBeGreaterThanOrEqual(480);
      await client.cancel(target, id);
    });
  });
}
