/** Which bytes of an output are kept: the first `headBytes` and the last `tailBytes`. Pure arithmetic on offsets. */

export interface OutputLimits {
  readonly headBytes: number;
  readonly tailBytes: number;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Room within the limits for the sentence that says how much is missing. */
const MARKER_BYTES = 64;

export interface Window {
  readonly head: Span;
  readonly tail: Span;
  /** Bytes between the two that are gone. */
  readonly missing: number;
}

/** While nothing is missing, tail follows head without a gap. */
export function planWindow(total: number, limits: OutputLimits): Window {
  const headEnd = Math.min(total, limits.headBytes);
  const tailStart = Math.max(headEnd, total - limits.tailBytes);
  const missing = tailStart - headEnd;
  return {
    head: { from: 0, to: headEnd },
    tail: { from: missing === 0 ? headEnd : Math.min(total, tailStart + MARKER_BYTES), to: total },
    missing,
  };
}

export const buildMarker = (missingBytes: number): string => `\n[… ${missingBytes} bytes left out …]\n`;

/** The spans of the tail's ring, where offset `o` lies at `(o − headBytes) mod tailBytes`, in order. */
export function planRing(span: Span, limits: OutputLimits): { at: number; length: number }[] {
  const parts: { at: number; length: number }[] = [];
  let from = span.from;
  while (from < span.to) {
    const at = (from - limits.headBytes) % limits.tailBytes;
    const length = Math.min(span.to - from, limits.tailBytes - at);
    parts.push({ at, length });
    from += length;
  }
  return parts;
}
