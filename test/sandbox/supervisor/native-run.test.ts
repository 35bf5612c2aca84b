import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { CloneSpec } from '../../../src/sandbox/protocol.ts';
import { readMachine } from '../../../src/sandbox/supervisor/base-environment.ts';
import { startNative } from '../../../src/sandbox/supervisor/native-run.ts';
import { Operation } from '../../../src/sandbox/supervisor/operation.ts';
import { buildRecord, OperationFolder } from '../../../src/sandbox/supervisor/operation-record.ts';
import { PipeSupply } from '../../../src/sandbox/supervisor/pipe-supply.ts';

const folder = mkdtempSync(join(tmpdir(), 'native-run-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ORIGIN = 'https://git.example.com/demo';

/** A clone that waits for a remote which takes the connection and says nothing. */
async function startClone(id: string): Promise<{ operation: Operation; close: () => void }> {
  const stateDirectory = join(folder, id, 'state');
  mkdirSync(join(stateDirectory, 'operations'), { recursive: true });
  const { promise: called, resolve } = Promise.withResolvers<void>();
  const silent = createServer((socket) => {
    socket.on('error', () => {});
    resolve();
  });
  await new Promise<void>((ready) => silent.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/never.git`;
  const spec: CloneSpec = {
    id,
    kind: 'clone',
    wait_ms: 0,
    timeout_ms: 60_000,
    remote: { url, origin: ORIGIN },
    branch: 'symphony/ABC-1',
    base_branch: null,
    depth: null,
    user: { name: 'Symphony', email: 'symphony@localhost' },
  };
  const operationFolder = new OperationFolder(stateDirectory, id);
  operationFolder.create();
  const operation = new Operation(operationFolder, buildRecord(spec, Date.now()));
  const place = {
    mode: 'host' as const,
    directory: join(folder, id, 'ABC-1'),
    stateDirectory,
    gitEnv: { PATH: process.env['PATH'] ?? '' },
  };
  startNative(
    spec,
    { operation, place, machine: readMachine(process.env), marker: id },
    {
      pipes: new PipeSupply(stateDirectory),
      isBusy: () => false,
      endContainer: () => Promise.resolve(),
      killOperation: () => Promise.resolve(0),
      killLeftovers: () => Promise.resolve(0),
    },
  );
  await called;
  return { operation, close: () => silent.close() };
}

test('a clone that a shutdown cut off is lost, as after a kill: its answer, that it was cancelled, is none', async () => {
  const { operation, close } = await startClone('shut-down');
  await operation.stop('shutdown');
  close();
  expect(operation.end).toMatchObject({
    outcome: 'lost',
    detail: 'The sandbox was ended during the clone.',
    clone: null,
  });
});

test('one that somebody cancelled says so itself', async () => {
  const { operation, close } = await startClone('cancelled');
  await operation.stop('cancelled');
  close();
  expect(operation.end).toMatchObject({
    outcome: 'cancelled',
    clone: { ok: false, failure: { detail: 'Cloning the repository was cancelled.' } },
  });
});

test('the URL that it is reached by is not written down, not even while it is cloned', async () => {
  const { operation, close } = await startClone('under-way');
  const state = join(folder, 'under-way', 'state');
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  await operation.stop('cancelled');
  close();
  expect(texts.filter((text) => text.includes(ORIGIN))).not.toEqual([]);
  expect(texts.filter((text) => text.includes('never.git'))).toEqual([]);
});
