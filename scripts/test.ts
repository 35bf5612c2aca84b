/** `npm test`: every runner's suite after the other, and one closing line with the totals. Arguments go to vitest: file names, `-t`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const SUITES = ['node', 'workers', 'e2e'] as const;
const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
});

const folder = mkdtempSync(join(tmpdir(), 'edge-harness-test-'));
const totals = { passed: 0, failed: 0, skipped: 0 };

for (const suite of SUITES) {
  const startedAtMs = Date.now();
  const { passed, failed, skipped } = runSuite(suite);
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped += skipped;
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(0);
  console.log(`\n${suite}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds} s`);
}

rmSync(folder, { recursive: true, force: true });
console.log(
  `\n${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`,
);
process.exit(totals.failed > 0 || totals.passed === 0 ? 1 : 0);

/** A suite that ends badly without a failed test — a crash, an error outside of tests — counts as one failure. */
function runSuite(suite: (typeof SUITES)[number]): { passed: number; failed: number; skipped: number } {
  const output = join(folder, `${suite}.json`);
  const { status } = spawnSync(
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
    { stdio: 'inherit' },
  );
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
