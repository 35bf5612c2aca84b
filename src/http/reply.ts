/** Turns an object's answer into an HTTP answer; failures pass through. */
import type { Failure } from '../core/failure.ts';
import { type Result, ok } from '../core/result.ts';
import { encodeCursor } from './cursor.ts';

export const json = (status: number, value: unknown): Response =>
  new Response(`${JSON.stringify(value)}\n`, { status, headers: { 'content-type': 'application/json' } });

export const text = (type: string, content: BodyInit): Response =>
  new Response(content, { headers: { 'content-type': `${type}; charset=utf-8` } });

export const noContent = (): Response => new Response(null, { status: 204 });

export const reply = (status: number, answer: Result<unknown, Failure>): Result<Response, Failure> =>
  answer.ok ? ok(json(status, answer.value)) : answer;

/** The objects' cursors are their own business; the wire's are opaque. */
export const replyPage = (
  answer: Result<{ next_cursor: string | null }, Failure>,
): Result<Response, Failure> =>
  answer.ok
    ? ok(json(200, { ...answer.value, next_cursor: encodeCursor(answer.value.next_cursor) }))
    : answer;
