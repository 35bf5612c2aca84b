/// <reference lib="dom" />
/** Functions that run in the page: sent there as text, so they use nothing from outside of themselves. */

export const unicodeBidi = (element: Element): string => getComputedStyle(element).unicodeBidi;

/** How far the page scrolls sideways, which it never has to. */
export const sidewaysPx = (): number =>
  document.documentElement.scrollWidth - document.documentElement.clientWidth;

/** Scrolls to the end in steps and answers the longest time between two frames. */
export async function longestFrameMs(selector: string): Promise<number> {
  const box = document.querySelector(selector);
  if (box === null) throw new Error(`the page has no ${selector}`);
  let longest = 0;
  let last = performance.now();
  for (let step = 1; step <= 60; step += 1) {
    box.scrollTop = (box.scrollHeight * step) / 60;
    await new Promise(requestAnimationFrame);
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return longest;
}
