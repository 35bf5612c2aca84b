/** The page's script: what every page has, then the part for this one, loaded by itself. */
import { request } from './api.ts';
import { onAction, pageData } from './dom.ts';
import { attempt } from './toast.ts';

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

const page = PAGES[pageData('page')];
if (page) (await page()).start();
