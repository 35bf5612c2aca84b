import { expect, test } from 'vitest';
import { parseGitAddress, stepPath } from '../../../src/core/git-gateway/address.ts';

const GRANT = 'abcDEF-_'.repeat(6);
const ROOT = `/git/${GRANT}`;

test.each([
  ['GET', `${ROOT}/info/refs?service=git-upload-pack`, 'git-upload-pack', 'refs'],
  ['GET', `${ROOT}/info/refs?service=git-receive-pack`, 'git-receive-pack', 'refs'],
  ['POST', `${ROOT}/git-upload-pack`, 'git-upload-pack', 'exchange'],
  ['POST', `${ROOT}/git-receive-pack`, 'git-receive-pack', 'exchange'],
])('%s %s is served', (method, target, service, step) => {
  const address = parse(method, target);
  expect(address).toEqual({ ok: true, value: { grant: GRANT, service, step } });
  expect(address.ok && `${ROOT}${stepPath(address.value)}`).toBe(target);
});

test.each([
  ['GET', `${ROOT}/HEAD`, 404],
  ['GET', `${ROOT}/objects/info/packs`, 404],
  ['GET', `${ROOT}/info/refs/`, 404],
  ['GET', `${ROOT}//info/refs?service=git-upload-pack`, 404],
  ['GET', `/${ROOT}/info/refs?service=git-upload-pack`, 404],
  ['GET', `${ROOT}/x/../info/refs?service=git-upload-pack`, 404],
  ['GET', `${ROOT}/info%2frefs?service=git-upload-pack`, 404],
  ['GET', `${ROOT}/info/./refs?service=git-upload-pack`, 404],
  ['GET', `${ROOT}/../info/refs?service=git-upload-pack`, 404],
  ['GET', `${ROOT}.git/info/refs?service=git-upload-pack`, 404],
  ['GET', `/git/info/refs?service=git-upload-pack`, 404],
  ['GET', `/git/short/info/refs?service=git-upload-pack`, 404],
  ['GET', `/git/${'a'.repeat(200)}/info/refs?service=git-upload-pack`, 404],
  ['GET', `/GIT/${GRANT}/info/refs?service=git-upload-pack`, 404],
  ['POST', `${ROOT}/git-upload-archive`, 404],
  ['POST', `${ROOT}/git-receive-pack/`, 404],
  ['POST', `${ROOT}/Git-Receive-Pack`, 404],
  ['GET', `${ROOT}/info/refs`, 400],
  ['GET', `${ROOT}/info/refs?service=git-upload-archive`, 400],
  ['GET', `${ROOT}/info/refs?service=git-upload-pack&x=1`, 400],
  ['GET', `${ROOT}/info/refs?x=1&service=git-upload-pack`, 400],
  ['GET', `${ROOT}/info/refs?service=git-upload-pack&service=git-receive-pack`, 400],
  ['GET', `${ROOT}/info/refs?service=git%2Dupload-pack`, 400],
  ['POST', `${ROOT}/git-receive-pack?service=git-receive-pack`, 400],
  ['POST', `${ROOT}/info/refs?service=git-upload-pack`, 405],
  ['HEAD', `${ROOT}/info/refs?service=git-upload-pack`, 405],
  ['GET', `${ROOT}/git-receive-pack`, 405],
  ['PUT', `${ROOT}/git-receive-pack`, 405],
  ['OPTIONS', `${ROOT}/git-upload-pack`, 405],
])('%s %s answers %d', (method, target, status) => {
  expect(parse(method, target)).toMatchObject({ ok: false, error: { status } });
});

test('no refusal quotes the grant', () => {
  for (const target of [`${ROOT}/x`, `${ROOT}/info/refs`, `${ROOT}/git-receive-pack`])
    expect(JSON.stringify(parse('GET', target))).not.toContain(GRANT);
});

const parse = (method: string, target: string) => {
  const [path = '', query] = target.split('?', 2);
  return parseGitAddress(method, path, query === undefined ? '' : `?${query}`);
};
