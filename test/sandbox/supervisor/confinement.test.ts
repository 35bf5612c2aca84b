import { describe, expect, test } from 'vitest';
import { buildBubblewrap } from '../../../src/sandbox/supervisor/bubblewrap.ts';
import { buildShell } from '../../../src/sandbox/supervisor/confined-shell.ts';
import { buildDockerRun, containerName } from '../../../src/sandbox/supervisor/docker.ts';
import type { Place } from '../../../src/sandbox/supervisor/place.ts';

const PLACE: Place = {
  mode: 'host',
  directory: '/roots/p/ABC-1',
  stateDirectory: '/roots/p/.edge-harness/ABC-1',
  gitEnv: {},
};

describe('under bubblewrap', () => {
  const argv = buildBubblewrap(['bash', '-lc', 'exit 3', 'bash'], PLACE, {
    home: '/home/me',
    hidden: ['/roots', '/state'],
    readable: ['/roots/p/.edge-harness/ABC-1/operations/x/script'],
  });

  /** Whether all of these stand next to each other, and where. */
  const at = (...words: string[]): number =>
    argv.findIndex((_, index) => words.every((word, offset) => argv[index + offset] === word));

  test('the command stands last, word for word', () => {
    expect(argv.slice(argv.indexOf('--') + 1)).toEqual(['bash', '-lc', 'exit 3', 'bash']);
  });

  test('processes and their memory are apart, and no capability is left', () => {
    for (const flag of ['--unshare-pid', '--unshare-ipc']) expect(argv).toContain(flag);
    expect(at('--cap-drop', 'ALL')).toBeGreaterThan(0);
    expect(at('--proc', '/proc')).toBeGreaterThan(0);
  });

  test('a daemon outlives its script: nothing dies with the parent', () => {
    expect(argv).not.toContain('--die-with-parent');
  });

  test('of everything readable the roots, our state and /run are empty, then the workspace is put back', () => {
    const readable = at('--ro-bind', '/', '/');
    const hidden = ['/roots', '/state', '/run'].map((folder) => at('--tmpfs', folder));
    const workspace = at('--bind', PLACE.directory, PLACE.directory);
    for (const position of hidden) {
      expect(position).toBeGreaterThan(readable);
      expect(position).toBeLessThan(workspace);
    }
  });

  test('writable are the workspace, a private home and a private /tmp, nothing else', () => {
    const writable = argv.flatMap((word, index) => (word === '--bind' ? [argv[index + 2]] : []));
    expect(writable).toEqual(['/tmp', '/home/me', PLACE.directory]);
    expect(at('--bind', `${PLACE.stateDirectory}/private/home`, '/home/me')).toBeGreaterThan(0);
  });

  test('a variable that would choose what runs outside, in the agent’s folder, is set inside only', () => {
    const machine = {
      path: '/usr/bin',
      home: '/home/me',
      user: 'me',
      bash: '/bin/bash',
      outerMarkers: '',
      dockerSettings: {},
    };
    const { command, env } = buildShell(
      { kind: 'bubblewrap' },
      {
        place: PLACE,
        machine,
        buildArguments: () => ['-lc', 'true'],
        scriptFile: null,
        env: { PATH: 'bin:/usr/bin', LD_PRELOAD: './evil.so', GCONV_PATH: '.', MY_TOKEN: 'secret' },
        marker: {},
        attached: 'pipes',
        containerName: '',
      },
      [],
    );
    expect(env).toMatchObject({ PATH: '/usr/bin', MY_TOKEN: 'secret' });
    expect(Object.keys(env)).not.toEqual(expect.arrayContaining(['LD_PRELOAD']));
    expect(Object.keys(env)).not.toEqual(expect.arrayContaining(['GCONV_PATH']));
    for (const words of [
      ['--setenv', 'PATH', 'bin:/usr/bin'],
      ['--setenv', 'LD_PRELOAD', './evil.so'],
    ])
      expect(command.join('\0')).toContain(words.join('\0'));
    expect(command.join(' ')).not.toContain('secret');
  });
});

interface More {
  network?: 'all' | 'none';
  scriptFile?: string;
  attached?: 'terminal';
}
const build = (env: Record<string, string>, more: More = {}) =>
  buildDockerRun({
    confinement: { kind: 'docker', image: 'registry.example/agent:1', network: more.network ?? 'none' },
    name: 'edge-harness-0123-op',
    directory: '/roots/p/ABC-1',
    env,
    bashArguments: ['-lc', 'exit 3', 'bash'],
    scriptFile: more.scriptFile ?? null,
    attached: more.attached ?? 'pipes',
  });

describe('under docker', () => {
  test('a disposable container mounts the workspace and nothing else', () => {
    expect(build({ SYMPHONY_HOOK: 'before_run' }).command).toEqual([
      'docker',
      'run',
      '--rm',
      '--init',
      '--name',
      'edge-harness-0123-op',
      '--network',
      'none',
      '--mount',
      'type=bind,"source=/roots/p/ABC-1",target=/workspace',
      '--workdir',
      '/workspace',
      '--env',
      'SYMPHONY_HOOK',
      '--entrypoint',
      'bash',
      'registry.example/agent:1',
      '-lc',
      'exit 3',
      'bash',
    ]);
  });

  test('values travel in the client’s environment, where no other user’s `ps` sees them', () => {
    const { command, env } = build({ MY_TOKEN: 'secret\nvalue' });
    expect(command.join(' ')).not.toContain('secret');
    expect(env).toEqual({ MY_TOKEN: 'secret\nvalue' });
  });

  test('a name that would steer the client itself reaches the container only', () => {
    for (const name of ['DOCKER_HOST', 'PATH', 'HOME', 'LD_PRELOAD', 'https_proxy', 'DOCKER_CONFIG']) {
      const { command, env } = build({ [name]: 'evil' });
      expect(env).toEqual({});
      expect(command).toContain(`${name}=evil`);
    }
  });

  test('the network of the agent is asked for, or none', () => {
    expect(build({}, { network: 'all' }).command).toContain('bridge');
  });

  test('a terminal is asked for where somebody sits at one', () => {
    expect(build({}, { attached: 'terminal' }).command).toEqual(
      expect.arrayContaining(['--interactive', '--tty']),
    );
    expect(build({}).command).not.toContain('--tty');
  });

  test('a long script is mounted read-only', () => {
    const { command } = build({}, { scriptFile: '/roots/p/.edge-harness/ABC-1/operations/x/script' });
    expect(command.filter((word) => word.endsWith(',readonly'))).toHaveLength(1);
  });

  test('a comma in the path stays in the path', () => {
    const plan = {
      confinement: { kind: 'docker', image: 'i', network: 'none' },
      name: 'n',
      directory: '/a,source=/etc/"b"',
      env: {},
      bashArguments: [],
      scriptFile: null,
      attached: 'pipes',
    } as const;
    expect(buildDockerRun(plan).command).toContain(
      'type=bind,"source=/a,source=/etc/""b""",target=/workspace',
    );
  });

  test('containers are named after workspace and operation', () => {
    expect(containerName('0123456789abcdef/op-1')).toBe('edge-harness-0123456789abcdef-op-1');
  });
});
