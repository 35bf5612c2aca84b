/** A host that records what it is sent, byte for byte, and the requests that tests make. */
import { type GitAudit, type GrantAccess, serveGit } from '../../src/http/git-gateway.ts';

export const GRANT = 'g'.repeat(43);
export const BRANCH = 'symphony/ABC-1';
export const SECRET = 'canary-4711';

export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** One character per byte. */
  body: string;
}

export interface FakeHost {
  fetch: typeof fetch;
  sent: Sent[];
}

/** `answer` defaults to git's good answers. */
export const fakeHost = (answer: (sent: Sent) => Response = answerWell): FakeHost => {
  const sent: Sent[] = [];
  const fetchFake = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(input, init);
    const { method, url } = request;
    const one: Sent = { method, url, headers: Object.fromEntries(request.headers), body: '' };
    sent.push(one);
    one.body = Buffer.from(await request.arrayBuffer()).toString('latin1');
    return answer(one);
  };
  return { fetch: fetchFake, sent };
};

const answerWell = ({ method, url }: Sent): Response => {
  const service = url.includes('receive-pack') ? 'receive-pack' : 'upload-pack';
  const kind = method === 'GET' ? 'advertisement' : 'result';
  return new Response('answer of the host', {
    headers: { 'content-type': `application/x-git-${service}-${kind}`, 'set-cookie': 'session=1' },
  });
};

let repositories = 0;

/** Each has a repository of its own, so that nothing is known of it from earlier. */
const grantFor = (changes: Partial<GrantAccess> = {}): GrantAccess => {
  repositories += 1;
  return {
    operation: 'save',
    repositoryUrl: `https://host.example/team/repo-${repositories}.git`,
    authorization: `Basic ${SECRET}`,
    allowedRefs: { branch: BRANCH, rescuePrefix: 'symphony-rescue/ABC-1/' },
    ...changes,
  };
};

export interface Ask {
  method?: string;
  /** Below `/git/{grant}`. */
  target?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  grant?: Partial<GrantAccess>;
  maxBodyBytes?: number;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  audits: GitAudit[];
}

export const ask = async (host: FakeHost, asked: Ask): Promise<Answer> => {
  const { method = 'GET', target = '/info/refs?service=git-upload-pack', headers = {}, body } = asked;
  const audits: GitAudit[] = [];
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  const request = new Request(`https://gateway.example/git/${GRANT}${target}`, {
    method,
    headers,
    ...(bytes === undefined ? {} : { body: bytes, duplex: 'half' }),
  });
  const answer = await serveGit(request, grantFor(asked.grant), host.fetch, {
    maxBodyBytes: asked.maxBodyBytes ?? null,
    onAudit: (event) => audits.push(event),
  });
  const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
  return { status: answer.status, headers: answer.headers, text, audits };
};

export const askToPush = (
  host: FakeHost,
  body: NonNullable<Ask['body']>,
  more: Pick<Ask, 'headers' | 'grant' | 'maxBodyBytes'> = {},
): Promise<Answer> =>
  ask(host, {
    method: 'POST',
    target: '/git-receive-pack',
    ...more,
    headers: { 'content-type': 'application/x-git-receive-pack-request', ...more.headers },
    body,
  });
