/** Section 8, by doing it: kills under load, and an agent that outlives the service. TEST_LONG=1 for 500 kills and a real 3-minute agent. */
import { describe, expect, test, vi } from 'vitest';
import { killWorkerd } from '../../scripts/chaos/processes.ts';
import { runChaos } from '../../scripts/chaos/run.ts';
import { startTestStack } from '../support/stack.ts';

const LONG = process.env['TEST_LONG'] === '1';
const SEEDS = LONG ? Array.from({ length: 10 }, (_, index) => index + 1) : [7];
const KILLS = LONG ? 50 : 20;
const TASKS = LONG ? 6 : 4;
const PACE_MS = LONG ? 2_500 : 1_000;
const AGENT_SECONDS = LONG ? 180 : 6;

const replayOf = (seed: number): string =>
  `Replay: npm run chaos -- --seed ${seed} --kills ${KILLS} --tasks ${TASKS} --pace ${PACE_MS}`;

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 120_000 });

test.for(SEEDS)(
  `after ${KILLS} faults no commit is lost, nothing ran twice, and everything is at rest (seed %i)`,
  async (seed) => {
    const log: string[] = [];
    const report = await runChaos({
      seed,
      kills: KILLS,
      tasks: TASKS,
      paceMs: PACE_MS,
      log: (line) => log.push(line),
    });
    if (LONG) console.log(JSON.stringify({ seed, ...report }));
    if (report.violations.length > 0)
      throw new Error([...report.violations, ...log, replayOf(seed)].join('\n'));
    expect(report.attempts).toBeGreaterThan(0);
  },
);

describe('an agent', () => {
  test(`of ${AGENT_SECONDS} s is found again after two restarts, with all its output and its true exit code`, async () => {
    const stack = await startTestStack();
    try {
      const project = await stack.project({
        workflow: `agent:\n  max_attempts: 1\n  command: echo begin; echo agent >> "$TRACE"; sleep ${AGENT_SECONDS}; echo end; exit 7`,
      });
      await project.dispatch('ABC-1');
      await project.traced('agent');
      for (const share of [3, 3]) {
        killWorkerd();
        await new Promise((resolve) => setTimeout(resolve, (AGENT_SECONDS * 1000) / share));
      }
      const attempt = await vi.waitFor(
        async () => {
          const one = await project.attempt('ABC-1', 1);
          if (one.outcome === null) throw new Error(`still in ${one.phase}`);
          return one;
        },
        { timeout: AGENT_SECONDS * 2000 + 120_000, interval: 500 },
      );
      expect(attempt).toMatchObject({
        outcome: 'failed',
        agent: { outcome: 'failed', exit_code: 7, stdout: { text: 'begin\nend\n' } },
      });
      expect(project.trace()).toEqual(['agent']);
    } finally {
      await stack.stop();
    }
  });
});
