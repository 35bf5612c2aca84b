/** The whole service over repositories that want a credential, with a recorder on the sandboxes' way to the Worker. */
import { type GitHost, startGitHost } from './git-host.ts';
import { type GitPassage, startGitPassage } from './git-passage.ts';
import {
  type ProjectOptions,
  type StackSettings,
  startTestStack,
  type TestProject,
  type TestStack,
} from './stack.ts';

export interface GuardedStack extends TestStack {
  readonly host: GitHost;
  readonly passage: GitPassage;
  /** A project whose repository `name` wants the credential; `token` null: it gets none. */
  guarded(name: string, options?: ProjectOptions & { token?: string | null }): Promise<TestProject>;
}

export async function startGuardedStack(token: string, settings: StackSettings = {}): Promise<GuardedStack> {
  const passage = await startGitPassage();
  const stack = await startTestStack({ ...settings, vars: { PUBLIC_URL: passage.url, ...settings.vars } });
  passage.target = stack.stack.url;
  const host = await startGitHost(stack.server.url, authorizationOf(token));
  return {
    ...stack,
    host,
    passage,
    guarded: async (name, { token: given = token, ...options } = {}) => {
      await stack.server.repository(name, options.files ? { files: options.files } : {});
      const project = await stack.project({ ...options, repository: { url: `${host.url}/${name}.git` } });
      if (given !== null) await setCredential(stack, project, given);
      return project;
    },
    stop: async () => {
      await host.close();
      await passage.close();
      await stack.stop();
    },
  };
}

export const setCredential = ({ api }: TestStack, project: TestProject, token: string) =>
  api.call('PUT', project.path('/credential'), { kind: 'token', token });

const authorizationOf = (token: string): string => `Basic ${btoa(`x-access-token:${token}`)}`;
