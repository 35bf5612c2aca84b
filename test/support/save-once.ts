/** One save in a process of its own: for tests that put it into another view of the machine. */
import type { Place } from '../../src/sandbox/supervisor/place.ts';
import { runSave } from '../../src/sandbox/supervisor/git-save.ts';

const input = JSON.parse(process.argv[2] ?? '') as { place: Place; url: string; branch: string };
const result = await runSave(
  {
    kind: 'save',
    id: 'save-1',
    wait_ms: 0,
    timeout_ms: 20_000,
    remote: { url: input.url, origin: input.url },
    branch: input.branch,
    rescue: `symphony-rescue/x/1`,
    base: null,
    last_saved: null,
  },
  input.place,
  new AbortController().signal,
);
console.log(JSON.stringify(result));
