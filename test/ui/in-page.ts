/// <reference lib="dom" />
/** Functions that run in the page: sent there as text, so they use nothing from outside of themselves. */

export const unicodeBidi = (element: Element): string => getComputedStyle(element).unicodeBidi;

/** How far the page scrolls sideways, which it never has to. */
export const sidewaysPx = (): number =>
  document.documentElement.scrollWidth - document.documentElement.clientWidth;

/** From the top to the end in 60 frames. */
export async function scrollThrough(selector: string): Promise<void> {
  const box = document.querySelector(selector);
  if (box === null) throw new Error(`the page has no ${selector}`);
  for (let step = 0; step <= 60; step += 1) {
    box.scrollTop = (box.scrollHeight * step) / 60;
    await new Promise(requestAnimationFrame);
  }
}
