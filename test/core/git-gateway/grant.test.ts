import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashGrant, isGrantToken, newGrantToken } from '../../../src/core/git-gateway/grant.ts';

test.each([32, 33, 34, 48])('%d random bytes become their base64url', (length) => {
  for (let round = 0; round < 50; round += 1) {
    const random = randomBytes(length);
    const token = newGrantToken(random);
    expect(token).toBe(random.toString('base64url'));
    expect(isGrantToken(token)).toBe(true);
  }
});

test('fewer than 256 bits are no grant', () => {
  expect(() => newGrantToken(randomBytes(31))).toThrow('A grant takes 32 random bytes.');
});

test('what is kept is the SHA-256 of the token', async () => {
  const token = newGrantToken(randomBytes(32));
  expect(await hashGrant(token)).toBe(createHash('sha256').update(token).digest('hex'));
});

test.each([
  '',
  'a'.repeat(42),
  'a'.repeat(129),
  `${'a'.repeat(43)}=`,
  `${'a'.repeat(43)}/`,
  `${'a'.repeat(43)}\n`,
])('%j is no token', (text) => {
  expect(isGrantToken(text)).toBe(false);
});
