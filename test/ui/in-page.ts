/// <reference lib="dom" />
/** Functions that run in the page: sent there as text, so they use nothing from outside of themselves. */

export const unicodeBidi = (element: Element): string => getComputedStyle(element).unicodeBidi;

/** How far the page scrolls sideways, which it never has to. */
export const sidewaysPx = (): number =>
  document.documentElement.scrollWidth - document.documentElement.clientWidth;

/** As when another tab is shown instead of the page. */
export function setHidden(isHidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
  document.dispatchEvent(new Event('visibilitychange'));
}

/** From the top to the end in 60 frames. */
export async function scrollThrough(selector: string): Promise<void> {
  const box = document.querySelector(selector);
  if (box === null) throw new Error(`the page has no ${selector}`);
  for (let step = 0; step <= 60; step += 1) {
    box.scrollTop = (box.scrollHeight * step) / 60;
    await new Promise(requestAnimationFrame);
  }
}
