import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../session.ts';
import type { Way } from '../way.ts';
import { withSession } from './with-session.ts';

const CREDENTIALS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
];

/** What bash itself sets. */
const SHELLS_OWN = ['_', 'SHLVL'];

const parseEnv = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );

export function describeEnvironment(way: Way): void {
  describe('the environment of a script', () => {
    const session = withSession(way);

    test('is the base set, what was asked for, and our marker; nothing of the launcher’s', async () => {
      const view = await run(session(), 'env -0', { env: { MINE: '1', SYMPHONY_HOOK: 'before_run' } });
      const env = parseEnv(view.stdout.text);
      const names = Object.keys(env).filter((name) => !SHELLS_OWN.includes(name));
      expect(new Set(names)).toEqual(
        new Set([
          'PATH',
          'HOME',
          'LANG',
          'TERM',
          'SHELL',
          'USER',
          'PWD',
          'EDGE_HARNESS_OPERATION',
          'MINE',
          'SYMPHONY_HOOK',
        ]),
      );
      expect(env).toMatchObject({
        LANG: 'C.UTF-8',
        TERM: 'dumb',
        PWD: session().target.directory,
      });
      expect(env['HOME']).not.toContain(session().target.directory);
    });

    test('values arrive byte for byte: lines, quotes, substitutions', async () => {
      const value = `line 1\nline 2 $(touch pwned) \`touch pwned\` '"; touch pwned; echo "ä🙂\\`;
      const view = await run(session(), 'printf %s "$TITLE"; ls pwned', { env: { TITLE: value } });
      expect(view.stdout.text).toBe(value);
      expect(view.exit_code).toBe(2);
    });

    test('a value of 120 KB arrives; one that the system refuses fails the script, not the supervisor', async () => {
      const fits = await run(session(), 'printf %s "$BIG" | wc -c', { env: { BIG: 'x'.repeat(120_000) } });
      expect(fits.stdout.text.trim()).toBe('120000');
      const refused = await run(session(), 'true', { env: { BIG: 'x'.repeat(200_000) } });
      expect(refused).toMatchObject({ outcome: 'failed', exit_code: null });
      expect(refused.detail).toContain('E2BIG');
    });

    test('the marker of another operation cannot be taken', async () => {
      const view = await run(session(), 'echo "$EDGE_HARNESS_OPERATION"', {
        env: { EDGE_HARNESS_OPERATION: 'somebody/else' },
      });
      expect(view.stdout.text).not.toContain('somebody');
    });

    test('names that a login profile exports are unset before the script runs', async ({ skip }) => {
      const { home } = session().reached;
      if (home === null) return skip('the home folder of scripts is out of reach');
      const lines = [...CREDENTIALS, 'KEPT'].map((name) => `export ${name}=from-profile`);
      writeFileSync(join(home, '.bash_profile'), `${lines.join('\n')}\n`);
      const view = await run(session(), 'env', { unset: [...CREDENTIALS, 'not a name; touch pwned'] });
      const long = await run(session(), `env\n# ${'x'.repeat(150_000)}`, { unset: CREDENTIALS });
      writeFileSync(join(home, '.bash_profile'), '');
      for (const { text } of [view.stdout, long.stdout]) {
        expect(text).toContain('KEPT=from-profile');
        for (const name of CREDENTIALS) expect(text).not.toContain(`${name}=`);
      }
      expect(view.exit_code).toBe(0);
    });

    test('scripts with names to unset keep their exit code, their `set -e` and their first line', async () => {
      const unset = CREDENTIALS;
      expect((await run(session(), 'exit 3', { unset })).exit_code).toBe(3);
      expect((await run(session(), 'set -e\nfalse\ntrue', { unset })).exit_code).toBe(1);
      const missing = await run(session(), 'no-such-command', { unset });
      expect(missing.stderr.text).toContain('line 1: no-such-command');
      expect((await run(session(), 'echo "', { unset })).exit_code).toBe(2);
    });
  });
}
