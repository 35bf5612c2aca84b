/** Loads parts of the page's script on demand. A deploy takes the parts of older pages away: then only a reload helps. */

/** The page is older than the service. */
export class Outdated extends Error {
  constructor() {
    super('edge-harness was updated after this page was opened. Save what you are writing, then reload.');
  }
}

export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (thrown) {
    throw thrown instanceof TypeError && (await isServed()) ? new Outdated() : thrown;
  }
}

/** Where the script that every page has is served, it is the part that is missing, not the network. */
async function isServed(): Promise<boolean> {
  const answer = await fetch('/assets/app.js', { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  return answer?.ok === true;
}
