/** The one file that the image copies does what the sources do. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openSession, run } from './session.ts';
import { openSandbox } from './supervisor-process.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test('the bundle runs alone: clone, script, restart, leftovers', async () => {
  const built = spawnSync(process.execPath, [at('scripts/build-supervisor.ts')], { encoding: 'utf8' });
  expect(built).toMatchObject({ status: 0, stderr: '' });
  const bundle = at('dist/supervisor.mjs');
  const session = await openSession({ name: 'the bundle', open: () => openSandbox(bundle) });
  expect(await run(session, 'git status --short; sleep 100 & exit 3')).toMatchObject({ exit_code: 3 });
  await session.reached.restart?.();
  expect(await run(session, 'true', { leftovers: 'kill' })).toMatchObject({ outcome: 'ok', detail: null });
  await session.reached.end();
});
