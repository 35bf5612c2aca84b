/** `wrangler dev` with the real container of the Dockerfile. Wants a running Docker engine. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface WranglerDev {
  ip: string;
  port: string;
  vars: Record<string, string>;
  /** Another Worker than the one of wrangler.toml, with the same classes. */
  entry?: string;
}

export const hasDockerEngine = (): boolean => spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;

export function startWranglerDev({ ip, port, vars, entry }: WranglerDev): ChildProcess {
  execFileSync('npm', ['run', '--silent', 'build:supervisor'], { stdio: 'inherit' });
  const options = ['--ip', ip, '--port', port, '--env-file', writeVars(vars), '--test-scheduled'];
  return spawn(
    process.execPath,
    ['node_modules/wrangler/bin/wrangler.js', 'dev', ...(entry ? [entry] : []), ...options],
    { stdio: 'inherit' },
  );
}

/** In a file, not in arguments: every user of the machine can read a process's arguments. */
function writeVars(vars: Record<string, string>): string {
  const folder = resolve('.edge-harness');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'docker.env');
  const lines = Object.entries(vars).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(path, lines.join(''), { mode: 0o600 });
  return path;
}
