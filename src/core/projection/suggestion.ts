/** The known name that a misspelt one most likely means. */

const FARTHEST = 2; // edits; beyond that a suggestion is a guess

export const nearest = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > 40) return undefined;
  const plain = fold(name);
  const same = known.find((candidate) => fold(candidate) === plain);
  if (same !== undefined) return same;
  let best: string | undefined;
  let bestDistance = FARTHEST + 1;
  for (const candidate of known) {
    const distance = editDistance(plain, fold(candidate));
    if (distance < bestDistance && distance < candidate.length / 2)
      [best, bestDistance] = [candidate, distance];
  }
  return best;
};

/** The suggestion as the end of a message; empty when there is none. */
export const didYouMean = (name: string | undefined): string =>
  name === undefined ? '' : ` Did you mean '${name}'?`;

const fold = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Levenshtein distance, one row at a time. */
const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};
