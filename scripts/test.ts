/** `npm test`: every runner's suite, and one closing line with the totals. Arguments go to vitest: file names, `-t`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';

/** The first keeps the processors busy; the other two wait for processes most of the time, and go together. */
const ROUNDS = [['node'], ['e2e', 'workers']] as const;
type Suite = (typeof ROUNDS)[number][number];

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
});

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const folder = mkdtempSync(join(tmpdir(), 'edge-harness-test-'));
const totals: Counts = { passed: 0, failed: 0, skipped: 0 };

for (const round of ROUNDS) for (const counts of await Promise.all(round.map(runSuite))) addCounts(counts);

rmSync(folder, { recursive: true, force: true });
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(totals.failed > 0 || totals.passed === 0 ? 1 : 0);

function addCounts({ passed, failed, skipped: pending }: Counts): void {
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped += pending;
}

/** A suite that ends badly without a failed test — a crash, an error outside of tests — counts as one failure. */
async function runSuite(suite: Suite): Promise<Counts> {
  const startedAtMs = Date.now();
  const output = join(folder, `${suite}.json`);
  const { status, text } = await runVitest(suite, output);
  const counts = countTests(status, output);
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(0);
  // Whole, once it is over: suites that run at the same time would otherwise mix their lines.
  console.log(text);
  console.log(
    `${suite}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped in ${seconds} s`,
  );
  return counts;
}

function runVitest(suite: Suite, output: string): Promise<{ status: number | null; text: string }> {
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      `vitest.${suite}.config.ts`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${output}`,
      '--passWithNoTests',
      ...process.argv.slice(2),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += String(chunk);
    });
  return new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, text }));
  });
}

function countTests(status: number | null, output: string): Counts {
  const report = readReport(output);
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const failed = status !== 0 && report.numFailedTests === 0 ? 1 : report.numFailedTests;
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests };
}

function readReport(path: string): z.infer<typeof Report> | null {
  try {
    return Report.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}
