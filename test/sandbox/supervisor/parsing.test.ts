import { describe, expect, test } from 'vitest';
import { hasToken, isOwnName } from '../../../src/sandbox/supervisor/access.ts';
import { parseExit } from '../../../src/sandbox/supervisor/exit-status.ts';
import { isKey, isTrashOf, layOutDirectory } from '../../../src/sandbox/supervisor/host-layout.ts';
import { parseOptions } from '../../../src/sandbox/supervisor/options.ts';
import { parseStat } from '../../../src/sandbox/supervisor/process-table.ts';
import { buildBashArguments } from '../../../src/sandbox/supervisor/script-command.ts';
import { expandRoot, isUnder } from '../../../src/sandbox/supervisor/workspace-root.ts';
import { parseWrapper } from '../../../src/sandbox/supervisor/wrapper-process.ts';

const parse = (argv: string[], env: Record<string, string> = {}) =>
  parseOptions(argv, env, () => 'from-the-file-1234\n');

const STAT = '4242 (a) b) (c) S 17 4242 4200 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2';

describe('an exit status', () => {
  test.each([
    ['0\n', '', { code: 0, signal: null }],
    ['3\n', '[1]+  Exit 3                  ( exec "$@" )', { code: 3, signal: null }],
    ['137\n', '[1]+  Exit 137                ( exec "$@" )', { code: 137, signal: null }],
    ['137\n', 'edge-harness: line 9: 4137 Killed      ( exec "$@" )', { code: null, signal: 'SIGKILL' }],
    ['143\n', '[1]+  Terminated              ( exec "$@" )', { code: null, signal: 'SIGTERM' }],
    ['143\n', '[1]+  Stopped   ( x )\n[1]+  Exit 143   ( x )', { code: 143, signal: null }],
    ['200\n', '', { code: 200, signal: null }],
    ['13', '', null],
    ['', '', null],
    [null, '', null],
  ])('%j with the log %j is %j', (exit, log, status) => {
    expect(parseExit(exit, log)).toEqual(status);
  });
});

describe('a process', () => {
  test('is read past brackets in its name', () => {
    expect(parseStat(STAT)).toEqual({
      pid: 4242,
      parent: 17,
      session: 4200,
      hasTerminal: false,
      startedAt: 987_654,
    });
  });

  test('that is a zombie is none', () => {
    expect(parseStat(STAT.replace(' S 17', ' Z 17'))).toBeNull();
  });

  test('a wrapper names its script, itself and its start; half a line is none', () => {
    expect(parseWrapper(`4300 4242 ${STAT}\n`)).toEqual({ scriptGroup: 4300, pid: 4242, startedAt: 987_654 });
    expect(parseWrapper('4300 4242 \n')).toEqual({ scriptGroup: 4300, pid: 4242, startedAt: null });
    expect(parseWrapper(`4300 4242 ${STAT}`)).toBeNull();
    expect(parseWrapper(null)).toBeNull();
  });
});

describe('the command of a script', () => {
  test('is the script itself; names are unset on its first line', () => {
    expect(buildBashArguments('exit 3', [], '/s')).toEqual(['exit 3', 'bash']);
    expect(buildBashArguments('exit 3', ['A', 'B'], '/s')[0]).toBe('unset -v A B 2>/dev/null || :; exit 3');
  });

  test('names that no shell could have exported are left out', () => {
    const [text] = buildBashArguments('x', ['A; touch /tmp/x', '$(id)', 'A-B', '', '1A', 'OK'], '/s');
    expect(text).toBe('unset -v OK 2>/dev/null || :; x');
  });

  test('a long script is a file, named by an argument', () => {
    const [text, ...rest] = buildBashArguments('x'.repeat(100_001), [], "/it's/a path");
    expect(text).toBe('eval "shift; $(<"$1")"');
    expect(rest).toEqual(['bash', "/it's/a path"]);
  });
});

describe('a workspace root', () => {
  const names = { home: '/home/me', temporary: '/tmp', user: 'me' };
  test.each([
    [null, '/tmp/symphony_workspaces/demo'],
    ['  ', '/tmp/symphony_workspaces/demo'],
    ['~/x', '/home/me/x'],
    ['~', '/home/me'],
    ['~other/x', '/flow/~other/x'],
    ['$HOME/x', '/home/me/x'],
    ['${TMPDIR}/x/$USER', '/tmp/x/me'],
    ['$HOMEX/x', '/flow/$HOMEX/x'],
    ['../x', '/x'],
    ['a/./b/../c', '/flow/a/c'],
    ['/abs', '/abs'],
  ])('%j is %s', (root, expected) => {
    expect(expandRoot(root, 'demo', '/flow', names)).toBe(expected);
  });

  test.each([
    ['/a/b', '/a', true],
    ['/a', '/a', true],
    ['/ab', '/a', false],
    ['/', '/a', false],
    ['/a/..b', '/a', true],
    ['/a/../b', '/a', false],
  ])('%s under %s: %s', (path, root, expected) => {
    expect(isUnder(path, root)).toBe(expected);
  });
});

describe('the layout under a root', () => {
  test.each(['', '.', '..', '.edge-harness', '.trash', 'a/b', 'a b', 'ä', 'x'.repeat(129)])(
    '%j is no key',
    (key) => {
      expect(isKey(key)).toBe(false);
    },
  );

  test.each(['ABC-1', 'a_b--c14cddc033f64b9d', '-', '_', 'trash', 'claim.json'])('%j is one', (key) => {
    expect(isKey(key)).toBe(true);
  });

  test.each(['/root/a/..', '/root//a', '/root/a/', 'root/../a', '/'])(
    '%s is no workspace’s path',
    (directory) => {
      expect(layOutDirectory(directory)).toBeNull();
    },
  );

  test('the trash tells keys apart that begin alike', () => {
    expect(isTrashOf('ABC-1', 'ABC-1~0000')).toBe(true);
    expect(isTrashOf('ABC-1', 'ABC-12~0000')).toBe(false);
  });
});

describe('who may call', () => {
  test.each([
    ['127.0.0.1:8000', true],
    ['localhost:8000', true],
    ['127.0.0.1', false],
    ['evil.example:8000', false],
    ['127.0.0.1:8001', false],
    [undefined, false],
  ])('Host %s: %s', (host, expected) => {
    expect(isOwnName(host, 8000)).toBe(expected);
  });

  test('only the whole token opens', () => {
    expect(hasToken({ authorization: 'Bearer secret' }, 'secret')).toBe(true);
    for (const authorization of ['Bearer secre', 'Bearer secrets', 'bearer secret', 'secret', '']) {
      expect(hasToken({ authorization }, 'secret')).toBe(false);
    }
    expect(hasToken({}, 'secret')).toBe(false);
  });
});

describe('the options', () => {
  const HOST = ['--mode', 'host', '--state', '/s', '--roots', '/a::/b'];
  const TOKEN = { EDGE_HARNESS_SUPERVISOR_TOKEN: '0123456789abcdef' };

  test('of a host', () => {
    expect(parse([...HOST, '--workflow-dir', 'p=/w=x', '--hide', '/secrets'], TOKEN)).toEqual({
      ok: true,
      value: {
        mode: 'host',
        listen: '127.0.0.1',
        port: 0,
        stateDirectory: '/s',
        watchStdin: false,
        token: '0123456789abcdef',
        roots: ['/a', '/b'],
        hidden: ['/secrets'],
        workflowFolders: new Map([['p', '/w=x']]),
      },
    });
    expect(parse([...HOST, '--token-file', 'f'])).toMatchObject({ value: { token: 'from-the-file-1234' } });
  });

  test('of a sandbox come from its environment', () => {
    expect(parse(['--mode', 'sandbox'])).toMatchObject({
      value: { port: 8730, listen: '0.0.0.0', workspace: '/workspace', ownContainer: false },
    });
    const env = { EDGE_HARNESS_PORT: '1', EDGE_HARNESS_STATE: '/s', EDGE_HARNESS_WORKSPACE: '/w' };
    expect(parse(['--mode', 'sandbox', '--own-container'], env)).toMatchObject({
      value: { port: 1, stateDirectory: '/s', workspace: '/w', ownContainer: true },
    });
  });

  test.each([
    [[], {}],
    [['--mode', 'cloud'], {}],
    [HOST, {}],
    [HOST, { EDGE_HARNESS_SUPERVISOR_TOKEN: 'short' }],
    [['--mode', 'host'], TOKEN],
    [[...HOST, '--unknown'], TOKEN],
    [[...HOST, '--port', 'http'], TOKEN],
    [[...HOST, '--workflow-dir', 'no-equals-sign'], TOKEN],
  ])('%j with %j are refused', (argv, env) => {
    expect(parse(argv, env).ok).toBe(false);
  });
});
