/**
 * `POST /v1/projection` of the seed's recipe 4 in the Worker, against a route of the same Worker that only parses the same JSON and echoes it,
 * asked in turn over 8 connections, with nothing else before the Worker. Reports the ratio of the medians, and for comparison that of a Worker without any of our code.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { randomSecret } from './stack/stack.ts';
import { startWorker } from './stack/worker.ts';

const CONNECTIONS = 8;
const ROUNDS = 300;
const WARM_UP_ROUNDS = 200;

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

const BARE_ECHO = `export default { fetch: async (request) => Response.json(await request.json()) }`;

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-harness-bench-'));
  const worker = await startWorker({
    port: 0,
    entry: 'test/workers/echo-entry.ts',
    staticFiles: false,
    stateDirectory: folder,
    vars: { API_TOKEN: randomSecret(), PUBLIC_PROJECTION: 'true' },
    onLog: () => undefined,
  });
  const bare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'echo',
      host: '127.0.0.1',
      port: 0,
      compatibilityDate: '2026-10-01',
      modules: [{ type: 'ESModule', path: 'echo.mjs', contents: BARE_ECHO }],
    }),
  );
  try {
    const { origin } = worker.url;
    const [ours, echo, bareEcho] = await medians([
      `${origin}/v1/projection`,
      `${origin}/echo`,
      (await bare.ready).href,
    ]);
    report('a route that parses and echoes', ours, echo, '≤ 1.5×');
    report('a bare Worker that parses and echoes', ours, bareEcho, 'none');
  } finally {
    agent.destroy();
    await worker.stop();
    await bare.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Turn by turn, so that a busy machine slows all of them. */
async function medians(urls: [string, string, string]): Promise<[number, number, number]> {
  const [first, second, third] = urls.map((url) => ({ url, taken: [] as number[] })) as [Asked, Asked, Asked];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1)
    for (const asked of [first, second, third]) {
      const taken = await askAll(asked.url);
      if (round >= WARM_UP_ROUNDS) asked.taken.push(...taken);
    }
  return [median(first.taken), median(second.taken), median(third.taken)];
}

interface Asked {
  url: string;
  taken: number[];
}

function report(against: string, oursMs: number, floorMs: number, limit: string): void {
  const ratio = (oursMs / floorMs).toFixed(2);
  console.log(
    `POST /v1/projection, recipe 4, ${CONNECTIONS} connections: ${oursMs.toFixed(2)} ms against ${floorMs.toFixed(2)} ms of ${against}: ${ratio}×  (limit ${limit})`,
  );
}

const askAll = (url: string): Promise<number[]> =>
  Promise.all(Array.from({ length: CONNECTIONS }, () => askOnce(url)));

/** By node:http, which takes less of the time than fetch does. */
function askOnce(url: string): Promise<number> {
  const startedAtMs = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(BODY) };
    const asked = request(url, { agent, method: 'POST', headers }, (answer) => {
      const { statusCode } = answer;
      answer.resume().once('end', () => {
        if (statusCode === 200) resolve(performance.now() - startedAtMs);
        else reject(new Error(`${url}: ${statusCode}`));
      });
    });
    asked.once('error', reject);
    asked.end(BODY);
  });
}

const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

await main();
