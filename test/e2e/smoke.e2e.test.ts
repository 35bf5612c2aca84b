/** `npm run smoke` as a person mistypes it; what it does is run by the container's suite. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SMOKE = fileURLToPath(new URL('../../scripts/smoke.ts', import.meta.url));
const URL_OF_NOTHING = 'http://127.0.0.1:9';

test.each([
  ['no location', ['--url', URL_OF_NOTHING], '--url, --token and --location are needed'],
  ['no URL', ['--url', '127.0.0.1:8787', '--location', 'host'], '--url 127.0.0.1:8787: it must be a URL'],
  ['no such location', ['--url', URL_OF_NOTHING, '--location', 'moon'], 'one of cloudflare, docker, host'],
])('%s: one line and the usage', (_, argv, said) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SMOKE, '--token', 'x', ...argv], {
    encoding: 'utf8',
  });
  expect(stderr).toContain(said);
  expect(stderr).toContain('usage: npm run smoke');
  expect(stdout).toBe('');
  expect(status).toBe(2);
});
