/**
 * A process that runs `harness apply` and kills itself, as a power cut would, at the n-th change to the disk: `node killed-apply.ts <n>`.
 * Below 0 it lives, and takes a second number as milliseconds to pause at each change.
 */
import { runHarness } from '../../src/cli/main.ts';
import { nodeFiles, nodeIo, nodeProcesses } from '../../src/cli/node-io.ts';
import type { FilePort } from '../../src/cli/io.ts';

let left = Number(process.argv[2]);

const pauseMs = Number(process.argv[3] ?? 0);

const countDown = (): void => {
  if (pauseMs > 0) nodeProcesses.sleep(pauseMs);
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  left -= 1;
};

const files: FilePort = {
  ...nodeFiles,
  writeNew: (...given) => {
    countDown();
    nodeFiles.writeNew(...given);
  },
  rename: (...given) => {
    countDown();
    nodeFiles.rename(...given);
  },
  remove: (path) => {
    if (nodeFiles.kind(path) !== undefined) countDown();
    nodeFiles.remove(path);
  },
};

process.exitCode = await runHarness(['apply'], { ...nodeIo(), cwd: process.cwd(), files });
