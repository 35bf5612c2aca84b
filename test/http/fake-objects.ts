/** Durable Objects made of plain answers: each call is recorded as one line, and answers what the test set for it. */
import type { Env } from '../../src/sandbox/env.ts';
import { createApp } from '../../src/app/app.ts';
import type { LogLine } from '../../src/http/request-log.ts';
import type { AuditEntry } from '../../src/core/api.ts';
import {
  attemptExample,
  auditExample,
  projectExample,
  tokenExample,
  workspaceExample,
} from '../../src/routes/examples.ts';

export const TOKEN = 'test-token-0123456789';

const ok = (value: unknown) => ({ ok: true, value });
const failed = (code: string, more: object = {}) => ({
  ok: false,
  error: { code, detail: `${code} here`, ...more },
});
const stream = (text: string) => new Response(text).body;

const answers: Record<string, unknown> = {
  'directory.listProjects': { ids: ['demo'], nextCursor: null },
  'directory.listEnvironment': { names: [] },
  'directory.patchEnvironment': ok({ names: [] }),
  'directory.findToken': null,
  'directory.recordAudit': undefined,
  'directory.createToken': (id: string, _hash: string, input: object) => ({ ...tokenExample, ...input, id }),
  'directory.listTokens': [tokenExample],
  'directory.revokeToken': true,
  'directory.listAudit': { entries: [auditExample], next_cursor: null },
  'directory.loadSweepPosition': null,
  'directory.saveSweepPosition': undefined,
  'project.put': ok({ created: true, project: projectExample }),
  'project.get': ok(projectExample),
  'project.remove': ok(null),
  'project.putWorkflow': ok(projectExample),
  'project.getWorkflow': ok('# Prompt\n'),
  'project.patchEnvironment': ok({ names: [] }),
  'project.listEnvironment': ok({ names: [] }),
  'project.putCredential': ok(projectExample),
  'project.dispatch': ok({ workspace: workspaceExample, attempt: attemptExample }),
  'project.setTaskState': ok({ workspace: workspaceExample, effect: 'none' }),
  'project.listWorkspaces': ok({ workspaces: [workspaceExample], next_cursor: null }),
  'project.sweep': ok({ lookedAt: 1, removed: 0, kept: [], nextCursor: null }),
  'workspace.view': ok({ ...workspaceExample, attempts: [attemptExample] }),
  'workspace.listAttempts': ok({ attempts: [attemptExample], next_cursor: null }),
  'workspace.attempt': ok(attemptExample),
  'workspace.attemptLog': () => ok(stream('log\n')),
  'directory.useOnce': true,
  'project.openEvents': () => ok(stream(': still here\n\n')),
  'workspace.openEvents': () => ok(stream(': still here\n\n')),
  'workspace.readFile': ok({ kind: 'folder', list: { entries: [] } }),
  'workspace.writeFile': ok('"etag"'),
  'workspace.fetch': () => Response.json({ code: 'wrong_phase', detail: 'no files yet' }, { status: 409 }),
  'workspace.save': ok(workspaceExample),
  'workspace.cancelAttempt': ok(attemptExample),
  'workspace.finishAttempt': ok(attemptExample),
  'workspace.remove': ok({ gone: false, workspace: workspaceExample }),
  'workspace.exec': () => ok(stream('{"outcome":"ok","exit_code":0,"duration_ms":1}\n')),
};

type Audit = Omit<AuditEntry, 'seq' | 'at'>;

/** Work after the answer ends before the test looks. */
const executionCtx = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };

export interface Fakes {
  /** `project demo.dispatch({…},null)` */
  calls: string[];
  audits: Audit[];
  logs: LogLine[];
  env: Env;
  /** A value, or a function of the call's arguments. */
  answer: (method: string, value: unknown) => void;
  fail: (method: string, code: string, more?: object) => void;
  /** With the token unless `authorization` is among the headers. */
  ask: (address: string, init?: RequestInit) => Promise<Response>;
  /** With a JSON body. */
  send: (address: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
}

export function startFakes(vars: Partial<Env> = {}): Fakes {
  const own: Record<string, unknown> = { ...answers };
  const calls: string[] = [];
  const audits: Audit[] = [];
  const logs: LogLine[] = [];
  const namespace = (kind: string) => ({
    getByName: (name: string) =>
      new Proxy(
        {},
        {
          get:
            (_target, method) =>
            async (...input: unknown[]) => {
              const call = String(method);
              if (call === 'recordAudit') audits.push(input[0] as Audit);
              // Who is asking is looked up before any route: not a call of the route's.
              else if (call !== 'findToken')
                calls.push(
                  `${kind} ${name}.${call}(${input.map((value) => JSON.stringify(value)).join(',')})`,
                );
              const value = own[`${kind}.${String(method)}`];
              return typeof value === 'function'
                ? (value as (...args: unknown[]) => unknown)(...input)
                : value;
            },
        },
      ),
  });
  const env = {
    API_TOKEN: TOKEN,
    ...vars,
    DIRECTORY: namespace('directory'),
    PROJECT: namespace('project'),
    WORKSPACE: namespace('workspace'),
  } as unknown as Env;
  const app = createApp({ log: (line) => logs.push(line) });
  const ask: Fakes['ask'] = async (address, init = {}) => {
    const [method = 'GET', path = '/'] = address.split(' ');
    const headers = new Headers({ authorization: `Bearer ${TOKEN}` });
    new Headers(init.headers).forEach((value, name) => headers.set(name, value));
    if (headers.get('authorization') === '') headers.delete('authorization');
    return app.request(path, { ...init, method, headers }, env, executionCtx);
  };
  return {
    calls,
    audits,
    logs,
    env,
    answer: (method, value) => (own[method] = value),
    fail: (method, code, more) => (own[method] = failed(code, more)),
    ask,
    send: (address, body, headers = {}) =>
      ask(address, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}

export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  retryable: boolean;
  diagnostics?: { path?: string; message: string }[];
}

/** Also checks that the answer is a problem document. */
export async function problemOf(response: Response): Promise<ProblemBody> {
  const type = response.headers.get('content-type');
  if (type !== 'application/problem+json')
    throw new Error(`not a problem document: ${response.status} ${type}`);
  return response.json();
}
