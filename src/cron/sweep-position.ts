/** Where a sweep stopped, so that the next tick goes on there. */
import * as z from 'zod';

const SweepPosition = z.object({
  /** Projects up to here were taken up; null: from the first one. */
  after: z.string().nullable(),
  /** No project is left to list in this round. */
  listed: z.boolean(),
  /** Taken up but not finished, with the place in each. */
  open: z.array(z.object({ project: z.string(), cursor: z.string().nullable() })),
});
export type SweepPosition = z.infer<typeof SweepPosition>;

export const START: SweepPosition = { after: null, listed: false, open: [] };

export const isAtEnd = (position: SweepPosition): boolean => position.listed && position.open.length === 0;

/** What an older release left, or nothing, is the start: a sweep that begins anew is harmless. */
export function parsePosition(text: string | null): SweepPosition {
  if (text === null) return START;
  try {
    return SweepPosition.catch(START).parse(JSON.parse(text));
  } catch {
    return START;
  }
}

export const printPosition = (position: SweepPosition): string | null =>
  isAtEnd(position) ? null : JSON.stringify(position);
