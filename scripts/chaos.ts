/** `npm run chaos -- --seed S --kills N [--tasks T]`: exits non-zero on a violated invariant, and prints the seed that replays it. */
import { parseArgs } from 'node:util';
import { runChaos } from './chaos/run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    kills: { type: 'string', default: '20' },
    tasks: { type: 'string', default: '4' },
  },
});
const seed = Number(values.seed);
const report = await runChaos({
  seed,
  kills: Number(values.kills),
  tasks: Number(values.tasks),
  log: console.log,
});
console.log(JSON.stringify({ seed, ...report }, null, 2));
if (report.violations.length > 0) {
  console.error(
    `seed ${seed}: ${report.violations.length} violation(s). Replay: npm run chaos -- --seed ${seed} --kills ${values.kills} --tasks ${values.tasks}`,
  );
  process.exit(1);
}
process.exit(0);
