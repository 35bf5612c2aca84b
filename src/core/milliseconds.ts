/** A variable's milliseconds: `fallback` where it is not set or is no positive whole number. Pure. */
export function millisecondsOr(text: string | undefined, fallback: number): number {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : fallback;
}
