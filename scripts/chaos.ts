/** `npm run chaos -- --seed S --kills N [--tasks T] [--pace MS]`: exits non-zero on a violated invariant, and prints what replays it. */
import { runChaos } from './chaos/run.ts';
import { readOptions } from './stack/command-line.ts';

const values = readOptions('npm run chaos -- [--seed S] [--kills N] [--tasks T] [--pace MS]', {
  seed: { type: 'string', default: String(Date.now() % 100_000) },
  kills: { type: 'string', default: '20' },
  tasks: { type: 'string', default: '6' },
  pace: { type: 'string', default: '4000' },
});
const seed = Number(values.seed);
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
const report = await runChaos({
  seed,
  kills: Number(values.kills),
  tasks: Number(values.tasks),
  paceMs: Number(values.pace),
  log: console.log,
  signal: interruption.signal,
});
console.log(JSON.stringify({ seed, ...report }, null, 2));
if (report.violations.length > 0) {
  console.error(
    `seed ${seed}: ${report.violations.length} violation(s). Replay: npm run chaos -- --seed ${seed} --kills ${values.kills} --tasks ${values.tasks} --pace ${values.pace}`,
  );
  process.exit(1);
}
process.exit(0);
