/** A bare repository with one commit, as a team's own would be: for the demo, and for the page's demo project. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Answers its path; one that is there already is left alone. */
export function makeDemoRepository(folder: string): string {
  const bare = join(folder, 'project.git');
  if (existsSync(bare)) return bare;
  mkdirSync(folder, { recursive: true });
  const tree = mkdtempSync(join(tmpdir(), 'edge-harness-seed-'));
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: tree, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
    git('init', '--quiet', '--initial-branch=main');
    writeFileSync(join(tree, 'README.md'), '# Greeter\n\nA small program that greets.\n');
    writeFileSync(join(tree, 'greet.sh'), '#!/bin/sh\necho "Hello, ${1:-world}!"\n', { mode: 0o755 });
    writeFileSync(join(tree, 'CHANGES.md'), '# Changes\n\n');
    git('add', '.');
    git('-c', 'user.name=Demo', '-c', 'user.email=demo@localhost', 'commit', '--quiet', '--message', 'Greet');
    git('push', '--quiet', bare, 'main');
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
  return bare;
}
