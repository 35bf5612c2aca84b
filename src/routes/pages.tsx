/** The pages for people. Without a session they lead to the sign-in page; what they show at first comes from the same objects as the API. */
import type { Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { offeredLocations } from '../../durable-objects/settings.ts';
import { directoryOf, projectOf, workspaceOf } from '../../durable-objects/stubs.ts';
import type { ProjectView } from '../core/api.ts';
import { CAPABILITIES } from '../core/projection/capabilities.ts';
import { type Failure, failure } from '../core/failure.ts';
import type { Result } from '../core/result.ts';
import { parseTokens } from '../http/actor.ts';
import { refuseActor } from '../http/authorize.ts';
import type { AppContext, AppEnv } from '../http/context.ts';
import { projectParams, workspaceParams } from '../http/fields.ts';
import { actorOfSession } from '../http/session-actor.ts';
import { readSession } from '../http/session.ts';
import { Hooks } from '../ui/pages/hooks.tsx';
import { NotFound } from '../ui/pages/not-found.tsx';
import { NewProject } from '../ui/pages/new-project.tsx';
import { Projects } from '../ui/pages/projects.tsx';
import { Settings } from '../ui/pages/settings.tsx';
import { Shell, type ShellProps } from '../ui/pages/shell.tsx';
import { SignIn } from '../ui/pages/sign-in.tsx';
import { Workspace } from '../ui/pages/workspace.tsx';
import { Workspaces } from '../ui/pages/workspaces.tsx';

/** Shown at once; the script brings the rest. */
const FIRST_ROWS = 50;
const MAX_PROJECTS = 200;

type Page = Omit<ShellProps, 'nonce' | 'csrf' | 'children'> & { content: Child; status?: 200 | 404 | 503 };
interface Visitor {
  csrf: string;
  project: string | null;
}

export function mountPages(app: Hono<AppEnv>): void {
  app.get('/sign-in', (c) => show(c, null, signInPage(c)));
  app.get('/hooks', async (c) => {
    const isPublic = c.env.PUBLIC_PROJECTION === 'true';
    const visitor = await findVisitor(c);
    return visitor || isPublic ? show(c, visitor, hooksPage()) : toSignIn(c);
  });
  app.get('/', (c) => withVisitor(c, (visitor) => projectsPage(c, visitor)));
  app.get('/new-project', (c) => withVisitor(c, async () => newProjectPage(c)));
  app.get('/projects/:project', (c) => withProject(c, (project) => workspacesPage(c, project)));
  app.get('/projects/:project/settings', (c) => withProject(c, async (project) => settingsPage(c, project)));
  app.get('/projects/:project/workspaces/:key', (c) =>
    withProject(c, (project) => workspacePage(c, project)),
  );
  app.get('*', (c, next) =>
    wantsPage(c.req.raw) ? showFailure(c, failure('route_not_found', 'This page does not exist.')) : next(),
  );
}

/** A browser that asked for a page gets one, whatever is wrong. */
const wantsPage = (request: Request): boolean =>
  request.method === 'GET' &&
  !new URL(request.url).pathname.startsWith('/v1/') &&
  (request.headers.get('accept') ?? '').includes('text/html');

async function showFailure(c: AppContext, failed: Failure): Promise<Response> {
  return show(c, await findVisitor(c).catch(() => null), failurePage(failed));
}

async function findVisitor(c: AppContext): Promise<Visitor | null> {
  const session = await readSession(c.req.raw, c.env);
  const actor = session && (await actorOfSession(session, c.env));
  if (!session || !actor) return null;
  c.set('actor', actor);
  return { csrf: session.csrf, project: actor.project };
}

async function withVisitor(c: AppContext, build: (visitor: Visitor) => Promise<Page>): Promise<Response> {
  c.set('route', 'page');
  const visitor = await findVisitor(c);
  return visitor ? show(c, visitor, await build(visitor)) : toSignIn(c);
}

/** Strict cookies don't come along with a link from elsewhere: the sign-in page looks again and goes on by itself. */
function toSignIn(c: AppContext): Response {
  const { pathname, search } = new URL(c.req.url);
  return c.redirect(`/sign-in?next=${encodeURIComponent(pathname + search)}`, 303);
}

async function withProject(c: AppContext, build: (project: ProjectView) => Promise<Page>): Promise<Response> {
  return withVisitor(c, async () => {
    const id = projectParams.project.safeParse(c.req.param('project'));
    if (!id.success) return failurePage(failure('project_not_found', 'This is no name of a project.'));
    const actor = c.get('actor');
    const refused = actor && refuseActor(actor, { scope: 'read', path: '', shared: false }, id.data);
    if (refused) return failurePage(refused);
    const project = await projectOf(c.env, id.data).get();
    return project.ok ? build(project.value) : failurePage(project.error);
  });
}

const signInPage = (c: AppContext): Page => ({
  title: 'Sign in',
  page: 'sign-in',
  content: <SignIn isConfigured={parseTokens(c.env.API_TOKEN).length > 0} />,
});

const hooksPage = (): Page => ({
  title: 'Hooks',
  page: 'hooks',
  current: 'hooks',
  content: <Hooks capabilities={CAPABILITIES} />,
});

async function projectsPage(c: AppContext, visitor: Visitor): Promise<Page> {
  const { ids, nextCursor } =
    visitor.project === null
      ? await directoryOf(c.env).listProjects(MAX_PROJECTS, null)
      : { ids: [visitor.project], nextCursor: null };
  const views = await Promise.all(ids.map((id) => projectOf(c.env, id).get()));
  const projects = views.flatMap((view: Result<ProjectView, Failure>) => (view.ok ? [view.value] : []));
  return {
    title: 'Projects',
    page: 'projects',
    current: 'projects',
    content: (
      <Projects
        projects={projects}
        hasMore={nextCursor !== null}
        demoRepository={c.env.DEMO_REPOSITORY ?? null}
      />
    ),
  };
}

const newProjectPage = (c: AppContext): Page => ({
  title: 'New project',
  page: 'new-project',
  current: 'projects',
  content: <NewProject locations={offeredLocations(c.env)} />,
});

async function workspacesPage(c: AppContext, project: ProjectView): Promise<Page> {
  const query = { limit: FIRST_ROWS, cursor: null, status: null, saved: null };
  const page = await projectOf(c.env, project.id).listWorkspaces(query);
  const workspaces = page.ok ? page.value.workspaces : [];
  return {
    title: project.id,
    page: 'workspaces',
    current: 'projects',
    data: { project: project.id },
    content: <Workspaces project={project} workspaces={workspaces} nowMs={Date.now()} />,
  };
}

async function settingsPage(c: AppContext, project: ProjectView): Promise<Page> {
  const environment = await projectOf(c.env, project.id).listEnvironment();
  return {
    title: `${project.id}: settings`,
    page: 'settings',
    current: 'projects',
    data: { project: project.id },
    content: (
      <Settings
        project={project}
        names={environment.ok ? environment.value.names : []}
        locations={offeredLocations(c.env)}
      />
    ),
  };
}

async function workspacePage(c: AppContext, project: ProjectView): Promise<Page> {
  const key = workspaceParams.key.safeParse(c.req.param('key'));
  if (!key.success) return failurePage(failure('workspace_not_found', 'This is no key of a workspace.'));
  const detail = await workspaceOf(c.env, project.id, key.data).view();
  if (!detail.ok) return failurePage(detail.error);
  return {
    title: `${detail.value.task.identifier} – ${project.id}`,
    page: 'workspace',
    current: 'projects',
    data: { project: project.id, key: key.data },
    content: <Workspace project={project} detail={detail.value} nowMs={Date.now()} />,
  };
}

const failurePage = ({ code, detail }: Failure): Page => ({
  title: 'Not here',
  page: 'failure',
  status: code.endsWith('_not_found') ? 404 : 503,
  content: (
    <NotFound
      title={code.endsWith('_not_found') ? 'There is nothing here' : 'Something went wrong'}
      detail={`${detail.charAt(0).toUpperCase()}${detail.slice(1)}`}
    />
  ),
});

async function show(c: AppContext, visitor: Visitor | null, page: Page): Promise<Response> {
  c.set('route', 'page');
  const nonce = crypto.randomUUID();
  const { content, status = 200, ...shell } = page;
  const body = await Shell({ ...shell, nonce, csrf: visitor?.csrf ?? null, children: content });
  return new Response(`<!doctype html>${body}`, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy(nonce) },
  });
}

/** Styles with the nonce are the editor's and the terminal's own; scripts come from here alone. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
