import { describe, expect, test } from 'vitest';
import { run } from '../session.ts';
import type { Way } from '../way.ts';
import { withSession } from './with-session.ts';

/** script, exit code, stdout, a piece of stderr */
const SCRIPTS: [title: string, script: string, code: number, stdout: string, stderr: string][] = [
  ['`exit 3` is 3', 'exit 3', 3, '', ''],
  ['an empty script is 0', '', 0, '', ''],
  ['the last command decides', 'true; false', 1, '', ''],
  [
    'a command that is not there is 127',
    'no-such-command',
    127,
    '',
    'bash: line 1: no-such-command: command not found',
  ],
  ['`set -e` ends the script at the first failure', 'set -e\necho a\nfalse\necho b', 1, 'a\n', ''],
  ['`set -euo pipefail` works', 'set -euo pipefail\nfalse | true\necho b', 1, '', ''],
  ['`exec` replaces the shell', 'exec sh -c "exit 4"\necho no', 4, '', ''],
  ['a heredoc arrives as written', 'cat <<"END"\n$HOME `id` "quoted\nEND', 0, '$HOME `id` "quoted\n', ''],
  ['a heredoc without an end is read to the end', 'cat <<END\nabc', 0, 'abc\n', ''],
  ['an unbalanced quote is a syntax error', 'echo a\necho "b', 2, 'a\n', 'line 2'],
  ['an unfinished `if` is a syntax error', 'if true; then', 2, '', 'syntax error'],
  ['a comment at the end does no harm', 'echo a # comment', 0, 'a\n', ''],
  ['a first line that names an interpreter is a comment', '#!/bin/sh\necho "$0"', 0, 'bash\n', ''],
  ['`$0` is bash and there are no arguments', 'echo "$0 $#"', 0, 'bash 0\n', ''],
  ['it is a login shell', 'shopt -q login_shell && echo yes', 0, 'yes\n', ''],
  ['line numbers in messages are the script’s own', '\n\nno-such-command', 127, '', 'bash: line 3:'],
  ['an exit trap runs', 'trap "echo bye" EXIT; exit 5', 5, 'bye\n', ''],
  ['characters of every kind arrive', "printf '%s' 'ä日本語🙂\t\\n'", 0, 'ä日本語🙂\t\\n', ''],
  ['`read` on stdin ends at once', 'read line; echo "$?:$line"', 0, '1:\n', ''],
  [
    'there is no terminal',
    'tty; [ -c /dev/tty ] && { : >/dev/tty; } 2>/dev/null || echo none',
    0,
    'not a tty\nnone\n',
    '',
  ],
  ['/dev/stdout can be opened', 'echo a >/dev/stdout; echo b >&2', 0, 'a\n', 'b'],
  ['files are made for their owner to write and all to read', 'umask', 0, '0022\n', ''],
  [
    'it leads a process group of its own',
    'set -- $(cat /proc/$$/stat); [ "$5" = $$ ] && echo yes',
    0,
    'yes\n',
    '',
  ],
  ['signals have their usual effect', 'sh -c "kill -TERM \\$\\$"; echo $?', 0, '143\n', ''],
  ['a broken pipe ends a writer', 'yes | head -1; echo ${PIPESTATUS[0]}', 0, 'y\n141\n', ''],
];

export function describeShell(way: Way): void {
  describe('a script', () => {
    const session = withSession(way);

    test.each(SCRIPTS)('%s', async (_, script, code, stdout, stderr) => {
      const view = await run(session(), script);
      expect(view.exit_code).toBe(code);
      expect(view.outcome).toBe(code === 0 ? 'ok' : 'failed');
      expect(view.stdout.text).toBe(stdout);
      expect(view.stderr.text).toContain(stderr);
    });

    test.each(SCRIPTS)('over 100 KB: %s', async (_, script, code, stdout) => {
      // Behind a long comment on a line of its own, line numbers move; everything else stays.
      const long = `${script}\n# ${'x'.repeat(150_000)}`;
      const isCutOff = script.includes('<<END') || script.endsWith('"b') || script.endsWith('then');
      if (isCutOff) return;
      const view = await run(session(), long);
      expect(view.exit_code).toBe(code);
      expect(view.stdout.text).toBe(stdout);
    });

    test('a script of 1 MB runs, and its file is gone afterwards', async () => {
      const line = `echo "${'x'.repeat(1000)}" >/dev/null\n`;
      const view = await run(session(), `${line.repeat(1000)}echo "$# $BASH_SUBSHELL"; exit 6`);
      expect(view).toMatchObject({ outcome: 'failed', exit_code: 6 });
      expect(view.stdout.text).toBe('0 0\n');
    });

    test('it starts in the workspace, and `cd /` does not last', async () => {
      const { directory } = session().target;
      const first = await run(session(), 'pwd; echo "$PWD"; cd /; export LEAKED=1; pwd');
      expect(first.stdout.text).toBe(`${directory}\n${directory}\n/\n`);
      const second = await run(session(), 'pwd; echo "[$LEAKED]"');
      expect(second.stdout.text).toBe(`${directory}\n[]\n`);
    });

    test.each([
      ['KILL', 'SIGKILL'],
      ['TERM', 'SIGTERM'],
      ['INT', 'SIGINT'],
      ['PIPE', 'SIGPIPE'],
      ['SEGV', 'SIGSEGV'],
    ])('a shell that dies of %s is told from one that exits with that number', async (name, signal) => {
      const killed = await run(session(), `kill -${name} $$`);
      expect(killed).toMatchObject({ outcome: 'killed', exit_code: null, signal });
      const exited = await run(session(), `exit $((128 + $(kill -l ${name})))`);
      expect(exited).toMatchObject({ outcome: 'failed', signal: null });
      expect(exited.exit_code).toBeGreaterThan(128);
    });

    test('a shell that stops and goes on is waited for', async () => {
      const view = await run(session(), '(sleep 0.3; kill -CONT $$) & kill -STOP $$; exit 7');
      expect(view).toMatchObject({ outcome: 'failed', exit_code: 7 });
    });

    test('a script with a NUL is not started, and says so', async () => {
      const view = await run(session(), 'echo a\0b');
      expect(view).toMatchObject({ outcome: 'failed', exit_code: null });
      expect(view.detail).toContain('could not be started');
    });
  });
}
