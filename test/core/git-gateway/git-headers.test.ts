import { expect, test } from 'vitest';
import {
  buildRequestHeaders,
  isRequestType,
  parseContentEncoding,
  parseContentLength,
  parseGitProtocol,
} from '../../../src/core/git-gateway/git-headers.ts';

test.each([
  [null, null],
  ['', null],
  ['identity', null],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  [' GZIP ', 'gzip'],
  ['deflate', undefined],
  ['br', undefined],
  ['gzip, gzip', undefined],
])('content encoding %j is %j', (header, coding) => {
  expect(parseContentEncoding(header)).toBe(coding);
});

test.each([
  ['version=2', 'git-upload-pack', 'version=2'],
  ['version=1', 'git-receive-pack', 'version=1'],
  ['version=2', 'git-receive-pack', null],
  ['version=2:secret=1', 'git-upload-pack', 'version=2'],
  ['x=1:version=1', 'git-upload-pack', 'version=1'],
  ['version=3', 'git-upload-pack', null],
  ['version=2\r\nx: y', 'git-upload-pack', null],
  [null, 'git-upload-pack', null],
] as const)('Git-Protocol %j for %s is sent on as %j', (header, service, sent) => {
  expect(parseGitProtocol(header, service)).toBe(sent);
});

test.each([
  ['12', 12],
  ['0', 0],
  [null, null],
  ['-1', null],
  ['1e9', null],
  ['12, 12', null],
])('content length %j is %j', (header, length) => {
  expect(parseContentLength(header)).toBe(length);
});

test('only the content type of the service itself is taken', () => {
  expect(isRequestType('application/x-git-receive-pack-request', 'git-receive-pack')).toBe(true);
  expect(isRequestType('application/x-git-upload-pack-request', 'git-receive-pack')).toBe(false);
  expect(isRequestType('text/plain', 'git-receive-pack')).toBe(false);
  expect(isRequestType(null, 'git-receive-pack')).toBe(false);
});

test('a request carries these headers and no others', () => {
  const headers = { gitProtocol: 'version=1', contentEncoding: 'gzip', authorization: 'Basic x' } as const;
  expect(buildRequestHeaders({ service: 'git-upload-pack', step: 'exchange' }, headers)).toEqual({
    accept: 'application/x-git-upload-pack-result',
    'accept-encoding': 'identity',
    authorization: 'Basic x',
    'content-encoding': 'gzip',
    'content-type': 'application/x-git-upload-pack-request',
    'git-protocol': 'version=1',
    'user-agent': 'git/2 (edge-harness)',
  });
});
