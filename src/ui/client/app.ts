/** The page's script: what every page has, then the part for this one, loaded by itself. */
import { request } from './api.ts';
import { onAction, pageData } from './dom.ts';
import { loadPart } from './load-part.ts';
import { attempt, tell } from './toast.ts';

const PAGES: Record<string, () => Promise<{ start: () => unknown }>> = {
  'sign-in': () => import('./sign-in.ts'),
  projects: () => import('./projects.ts'),
  'new-project': () => import('./new-project.ts'),
  settings: () => import('./settings.ts'),
  workspaces: () => import('./workspaces.tsx'),
  workspace: () => import('./workspace.tsx'),
  hooks: () => import('./hooks.ts'),
};

onAction({
  'sign-out': () =>
    attempt(async () => {
      await request('DELETE', '/session');
      location.assign('/sign-in');
    }),
});

await startPage(PAGES[pageData('page')] ?? (async () => ({ start: () => undefined })));

async function startPage(part: () => Promise<{ start: () => unknown }>): Promise<void> {
  try {
    await (await loadPart(part)).start();
    takeInput();
  } catch (thrown) {
    tell(thrown);
    throw thrown;
  }
}

/** Before the page's part listens, a form would send itself, what was typed would be lost, and a click be for nothing. */
function takeInput(): void {
  document.body.classList.add('ready');
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[type=submit]'))
    button.disabled = false;
}
