import { expect, test } from 'vitest';
import { hostOf, isForHost } from '../../src/core/credential-host.ts';

test.each([
  ['https://git.example/a/b.git', 'https://git.example'],
  ['HTTPS://Git.Example:8443/a', 'https://git.example:8443'],
  ['/srv/git/a.git', null],
  ['file:///srv/a.git', null],
  [null, null],
])('%j is on the host %j', (url, host) => {
  expect(hostOf(url)).toBe(host);
});

test.each([
  ['https://git.example', 'https://git.example/other.git', true],
  ['https://git.example', 'https://git.example.evil/a.git', false],
  ['https://git.example', 'http://git.example/a.git', false],
  ['https://git.example', 'https://git.example:444/a.git', false],
  [null, 'https://anywhere.example/a.git', true],
])('a credential for %j and the repository %s: %j', (host, url, isSent) => {
  expect(isForHost(host, url)).toBe(isSent);
});
