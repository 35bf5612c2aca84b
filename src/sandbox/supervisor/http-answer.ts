/** Puts answers and errors on the wire. Every answer carries the header that proves who gave it. */
import { createReadStream } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import {
  PROTOCOL_VERSION,
  SUPERVISOR_HEADER,
  type SupervisorError,
  type SupervisorErrorCode,
} from '../protocol.ts';

export type Answer =
  | { kind: 'json'; value: unknown }
  | { kind: 'nothing'; etag?: string }
  | { kind: 'bytes'; bytes: Buffer; etag: string }
  /** The descriptor is closed when it is sent, or cannot be. */
  | { kind: 'file'; fd: number; size: number };

const STATUS: Record<SupervisorErrorCode, number> = {
  bad_request: 400,
  unauthorized: 401,
  not_found: 404,
  no_incarnation: 409,
  other_incarnation: 409,
  foreign_directory: 409,
  key_conflict: 409,
  workspace_root_refused: 422,
  workspace_damaged: 409,
  directory_gone: 409,
  operation_not_found: 404,
  operation_conflict: 409,
  file_not_found: 404,
  file_changed: 409,
  path_refused: 422,
  too_large: 413,
  confinement_unavailable: 422,
  removal_failed: 409,
  internal: 500,
};

export const statusOf = ({ code }: SupervisorError): number => STATUS[code];

export async function sendAnswer(response: ServerResponse, answer: Answer): Promise<void> {
  response.setHeader(SUPERVISOR_HEADER, PROTOCOL_VERSION);
  switch (answer.kind) {
    case 'json':
      return sendJson(response, 200, answer.value);
    case 'nothing':
      if (answer.etag !== undefined) response.setHeader('etag', answer.etag);
      response.writeHead(204).end();
      return;
    case 'bytes':
      response.setHeader('etag', answer.etag);
      return sendBytes(response, 200, 'application/octet-stream', answer.bytes);
    case 'file':
      return sendFile(response, answer.fd, answer.size);
    default:
      return answer satisfies never;
  }
}

export function sendError(response: ServerResponse, error: SupervisorError): void {
  response.setHeader(SUPERVISOR_HEADER, PROTOCOL_VERSION);
  sendJson(response, statusOf(error), { code: error.code, detail: error.detail.slice(0, 4000) });
}

const sendJson = (response: ServerResponse, status: number, value: unknown): void =>
  sendBytes(response, status, 'application/json', Buffer.from(JSON.stringify(value)));

function sendBytes(response: ServerResponse, status: number, type: string, bytes: Buffer): void {
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
}

async function sendFile(response: ServerResponse, fd: number, size: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
  // A file that grows while it is sent must not exceed the announced length.
  const source = createReadStream('', { fd, end: Math.max(0, size - 1) });
  // A caller that goes away is no fault of ours.
  await pipeline(source, response).catch(() => {});
}
