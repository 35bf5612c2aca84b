import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { execFileSync } from 'node:child_process';
import { removeTree } from '../../../src/sandbox/supervisor/tree-removal.ts';

const scratch = () => mkdtempSync(join(tmpdir(), 'edge-harness-tree-'));

test('a tree deeper than any path is long is deleted like another', async () => {
  const folder = scratch();
  const name = 'd'.repeat(100);
  const script = `for n in $(seq 100); do mkdir ${name}; cd ${name}; done; echo x >file`;
  execFileSync('bash', ['-c', script], { cwd: folder });
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
});

test('a link is deleted, what it leads to stays', async () => {
  const [folder, elsewhere] = [scratch(), scratch()];
  writeFileSync(join(elsewhere, 'kept'), '');
  mkdirSync(join(folder, 'inner'));
  symlinkSync(elsewhere, join(folder, 'inner', 'link'));
  await removeTree(folder);
  expect(existsSync(join(elsewhere, 'kept'))).toBe(true);
  await removeTree(elsewhere);
});
