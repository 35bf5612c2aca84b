/** Which commits are here, and which of them others do not reach. */
import { isSha, lackingArgs, lackingInput } from '../../core/git.ts';
import { inClean, type CleanRepository } from './git-clean.ts';

/** Where git cannot tell, all of them. */
export async function existingCommits(
  clean: CleanRepository,
  candidates: readonly string[],
): Promise<readonly string[]> {
  const checked = await inClean(clean, {
    what: 'Looking for commits',
    args: ['cat-file', '--batch-check=%(objectname) %(objecttype)'],
    input: candidates.map((sha) => `${sha}\n`).join(''),
  });
  if (!checked.ok) return candidates;
  const lines = checked.value.stdout.toString().split('\n');
  return candidates.filter((sha) => lines.includes(`${sha} commit`));
}

/** Of the tips, which have to exist, those that no `known` commit reaches. Where git fails, all that are not known themselves. */
export async function lackingOf(
  clean: CleanRepository,
  tips: readonly string[],
  known: readonly string[],
): Promise<Set<string>> {
  const asked = new Set(tips.filter((tip) => !known.includes(tip)));
  if (asked.size === 0) return new Set();
  const lacking = new Set<string>();
  let rest = '';
  const listed = await inClean(clean, {
    what: 'Looking for unsaved branches',
    args: lackingArgs([...asked]),
    input: lackingInput(known),
    onStdout: (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (isSha(line) && asked.has(line)) lacking.add(line);
      return 'go on';
    },
  });
  return listed.ok ? lacking : asked;
}
