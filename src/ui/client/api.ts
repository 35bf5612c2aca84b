/** The HTTP API as the page uses it: with the session's cookie and its CSRF token. */
import { pageData } from './dom.ts';

export interface ProblemBody {
  code: string;
  detail: string;
  diagnostics?: Diagnostic[];
  [field: string]: unknown;
}

export interface Diagnostic {
  code: string;
  severity: 'error' | 'warning';
  message: string;
  line?: number;
  column?: number;
  provider?: string;
}

/** What the service said when it refused. */
export class Refusal extends Error {
  readonly status: number;
  readonly problem: ProblemBody;

  constructor(status: number, problem: ProblemBody) {
    super(capital(problem.detail));
    this.status = status;
    this.problem = problem;
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

interface Options {
  /** Other than JSON. */
  type?: string;
  headers?: Record<string, string>;
}

export async function request(
  method: string,
  path: string,
  body?: unknown,
  { type = 'application/json', headers = {} }: Options = {},
): Promise<Response> {
  const answer = await fetch(path, {
    method,
    headers: {
      ...(method === 'GET' ? {} : { 'x-csrf-token': pageData('csrf') }),
      ...(body === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: type === 'application/json' ? JSON.stringify(body) : (body as BodyInit) }),
  });
  if (answer.ok) return answer;
  if (answer.status === 401 && pageData('page') !== 'sign-in') signInAgain();
  throw new Refusal(answer.status, await readProblem(answer));
}

export async function call<T>(method: string, path: string, body?: unknown, options?: Options): Promise<T> {
  const answer = await request(method, path, body, options);
  return (answer.status === 204 ? null : await answer.json()) as T;
}

async function readProblem(answer: Response): Promise<ProblemBody> {
  try {
    return (await answer.json()) as ProblemBody;
  } catch {
    return { code: 'unreachable', detail: `the service answered ${answer.status}` };
  }
}

/** Sessions end; the page comes back to where it was. */
function signInAgain(): void {
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
}

export const projectPath = (project: string, rest = ''): string => `/v1/projects/${project}${rest}`;
