/** An image for tests of location docker, made of this machine's own programs where none is named: nothing is pulled. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const IMAGE = 'edge-harness-test:1';
const PROGRAMS = [
  'bash',
  'cat',
  'env',
  'git',
  'grep',
  'ls',
  'mkdir',
  'readlink',
  'rm',
  'setsid',
  'sleep',
  'touch',
];

export type DockerForTests = { image: string } | { reason: string };

/** `TEST_DOCKER_IMAGE` names another one, with bash and git. */
export async function findDocker(): Promise<DockerForTests> {
  if (!(await docker('version'))) return { reason: 'no Docker engine answers (docker version)' };
  const image = process.env['TEST_DOCKER_IMAGE'] ?? IMAGE;
  if (await docker('image', 'inspect', image)) return { image };
  if (image !== IMAGE) return { reason: `the image ${image} is not there` };
  const problem = await importImage().catch(String);
  return problem === null ? { image } : { reason: `no image could be made: ${problem}` };
}

const docker = (...args: string[]): Promise<boolean> =>
  promisify(execFile)('docker', args, { timeout: 60_000 }).then(
    () => true,
    () => false,
  );

/** null: it is there. */
async function importImage(): Promise<string | null> {
  if (process.platform !== 'linux') return 'programs of this machine do not run in a container';
  const root = mkdtempSync(join(tmpdir(), 'edge-harness-image-'));
  try {
    fillRoot(root);
    const pack = spawn('tar', ['-C', root, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const load = spawn('docker', ['import', '--change', 'ENV OF_IMAGE=yes', '-', IMAGE], {
      stdio: [pack.stdout, 'ignore', 'inherit'],
    });
    const code = await new Promise<number | null>((resolve) => load.once('close', resolve));
    return code === 0 ? null : `docker import ended with ${code}`;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Each program with the libraries that it is linked with, at their own paths. */
function fillRoot(root: string): void {
  for (const folder of ['etc', 'root', 'tmp', 'usr/bin', 'usr/lib', 'usr/lib64', 'proc', 'dev', 'sys'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${folder}`, join(root, folder));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/bash\n');
  const programs = PROGRAMS.map((name) =>
    execFileSync('bash', ['-c', `type -P ${name}`], { encoding: 'utf8' }).trim(),
  );
  const libraries = programs.flatMap((path) => listLibraries(path));
  for (const path of new Set([...programs, ...libraries])) copyInto(root, path);
  for (const [index, name] of PROGRAMS.entries())
    if (!existsSync(join(root, 'usr/bin', name)))
      symlinkSync(programs[index] ?? '', join(root, 'usr/bin', name));
}

const listLibraries = (program: string): string[] =>
  execFileSync('ldd', [program], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);

/** `/lib` and `/bin` are links in the image, as they are on Debian. */
function copyInto(root: string, path: string): void {
  const target = join(root, path.replace(/^\/(bin|lib|lib64)\//, '/usr/$1/'));
  mkdirSync(dirname(target), { recursive: true });
  cpSync(realpathSync(path), target);
}
