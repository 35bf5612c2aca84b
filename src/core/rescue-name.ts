/** Names the refs that rescued commits go to: legal for git, and free. */

/** Leaves room for the suffix that makes a name unique. */
const MAX_NAME_LENGTH = 80;

/** `name` is a local branch, null for a detached HEAD. `taken` are short names on the remote. */
export function nameRescueRef(rescue: string, name: string | null, taken: readonly string[]): string {
  // A remote on a case-insensitive file system cannot keep two names that differ in case only.
  const used = new Set(taken.map((ref) => ref.toLowerCase()));
  const wanted = name === null ? rescue : `${rescue}-${componentOf(name)}`;
  let free = wanted;
  for (let number = 2; used.has(free.toLowerCase()); number += 1) free = `${wanted}-${number}`;
  return free;
}

/** One component of a ref: letters, digits, and dots where git allows them. */
function componentOf(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9._-]/gu, '_')
    .replace(/\.{2,}/g, (dots) => '_'.repeat(dots.length))
    .slice(0, MAX_NAME_LENGTH);
  return plain.replace(/\.lock$/i, '_lock').replace(/^\.|\.$/g, '_') || '_';
}
