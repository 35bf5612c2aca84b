/** The HTTP API as scripts use it: JSON in and out, and an error that says what the service answered. */
import type { Problem } from '../../src/core/api.ts';

export class ApiClient {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url.replace(/\/+$/, '');
    this.#token = token;
  }

  /** `accepted`: statuses that are no error beside 2xx. */
  async call<T>(
    method: string,
    path: string,
    body?: unknown,
    accepted: number[] = [],
  ): Promise<{ status: number; body: T }> {
    const isText = typeof body === 'string';
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': isText ? 'text/markdown' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = /^application\/(problem\+)?json/.test(answer.headers.get('content-type') ?? '');
    const content: unknown = isJson ? JSON.parse(text) : text;
    if (!answer.ok && !accepted.includes(answer.status))
      throw new Error(
        `${method} ${path} → ${answer.status} ${isJson ? summaryOf(content as Problem) : text}`,
      );
    return { status: answer.status, body: content as T };
  }

  async get<T>(path: string): Promise<T> {
    return (await this.call<T>('GET', path)).body;
  }
}

const summaryOf = ({ code, detail }: Problem): string => `${code}: ${detail}`;

/** Asks again until `isDone`; throws with the last answer when time runs out. */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T>,
  isDone: (answer: T) => boolean,
  { timeoutMs = 60_000, stepMs = 100 }: { timeoutMs?: number; stepMs?: number } = {},
): Promise<T> {
  const endAtMs = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (isDone(answer)) return answer;
    if (Date.now() > endAtMs)
      throw new Error(`${what}: not within ${timeoutMs} ms; last answer: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, stepMs));
  }
}
