/**
 * `POST /v1/projection` of the seed's recipe 4 in the Worker, against a Worker that parses and echoes the same JSON: both under workerd, asked in
 * turn over 8 connections. Reports the ratio of the medians.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { randomSecret } from './stack/stack.ts';
import { startWorker } from './stack/worker.ts';

const CONNECTIONS = 8;
const ROUNDS = 150;
const WARM_UP_ROUNDS = 30;

const PRE_TOOL = 'node scripts/pre_tool.js';
const BODY = JSON.stringify({
  entities: [
    {
      id: 'recipe-4',
      document: {
        mode: 'best_effort',
        events: {
          pre_tool_use: [{ type: 'command', bash: PRE_TOOL, powershell: PRE_TOOL }],
          turn_complete: [{ type: 'notify', command: ['python3', 'scripts/on_turn_complete.py'] }],
        },
      },
    },
  ],
  providers: ['claude', 'copilot', 'codex', 'cursor'],
});

/** A route that only parses and echoes; it logs its line per request as every route here does. */
const ECHO = `export default { fetch: async (request) => {
  const startedAtMs = Date.now();
  const answer = Response.json(JSON.parse(await request.text()));
  console.log(JSON.stringify({ level: 'info', message: 'request', method: request.method, route: '/echo', status: 200, duration_ms: Date.now() - startedAtMs }));
  return answer;
} }`;

const folder = mkdtempSync(join(tmpdir(), 'edge-harness-bench-'));
const token = randomSecret();
const worker = await startWorker({
  port: 0,
  stateDirectory: folder,
  vars: { API_TOKEN: token, PUBLIC_PROJECTION: 'true' },
  onLog: () => undefined,
});
const echo = new Miniflare(
  convertV4MiniflareOptions({
    name: 'echo',
    host: '127.0.0.1',
    port: 0,
    compatibilityDate: '2026-10-01',
    handleStructuredLogs: () => undefined,
    modules: [{ type: 'ESModule', path: 'echo.mjs', contents: ECHO }],
  }),
);
try {
  const echoUrl = (await echo.ready).href;
  const ours: number[] = [];
  const floor: number[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    const [a, b] = [await askAll(echoUrl), await askAll(`${worker.url.origin}/v1/projection`)];
    if (round < WARM_UP_ROUNDS) continue;
    floor.push(...a);
    ours.push(...b);
  }
  const ratio = median(ours) / median(floor);
  console.log(
    `POST /v1/projection, recipe 4, four providers, ${CONNECTIONS} connections: ${median(ours).toFixed(2)} ms against echo ${median(floor).toFixed(2)} ms: ${ratio.toFixed(2)}× (wanted: ≤ 1.5×)`,
  );
} finally {
  await worker.stop();
  await echo.dispose();
  rmSync(folder, { recursive: true, force: true });
}

function askAll(url: string): Promise<number[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, () => askOnce(url)));
}

async function askOnce(url: string): Promise<number> {
  const startedAtMs = performance.now();
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODY,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return performance.now() - startedAtMs;
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
