import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildMasker, isSecretName, tooShortToMask } from '../../src/core/redact.ts';

const SECRET = "s3cr/et+v'al ue=é";
const RUNS = process.env['TEST_LONG'] ? 5000 : 500;

const mask = (text: string, ...secrets: string[]): string => buildMasker(secrets).mask(text);

function maskInChunks(text: string, cuts: number[], secrets: string[]): string {
  const stream = buildMasker(secrets).stream();
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  const chunks = places.slice(1).map((place, index) => text.slice(places[index], place));
  return chunks.map((chunk) => stream.push(chunk)).join('') + stream.flush();
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64Url = (text: string): string => Buffer.from(text).toString('base64url');

describe('a secret is masked', () => {
  test.each([
    ['as it is', SECRET],
    ['URL-encoded', encodeURIComponent(SECRET)],
    [
      'URL-encoded with lower-case hex',
      encodeURIComponent(SECRET).replace(/%../g, (byte) => byte.toLowerCase()),
    ],
    ['as a form value', new URLSearchParams({ a: SECRET }).toString().slice(2)],
    [
      'URL-encoded by Python, which keeps slashes',
      encodeURIComponent(SECRET).replaceAll('%2F', '/').replaceAll("'", '%27'),
    ],
    ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['in ASCII JSON', JSON.stringify(SECRET).slice(1, -1).replace('é', '\\u00e9')],
    ['in JSON with escaped slashes', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
    ['in base64 without padding', base64(SECRET).replaceAll('=', '')],
    ['in base64url', base64Url(SECRET)],
  ])('%s', (_, form) => {
    expect(mask(`a ${form} b ${form}`, SECRET)).toBe('a *** b ***');
  });

  test.each([
    ['one line', 'token-12345', 'before token-12345 after', 'before *** after'],
    ['twice in a row', 'abcdef', 'abcdefabcdef', '******'],
    ['overlapping itself', 'ababab', 'xababababx', 'x***x'],
    ['the whole text', 'abcdef', 'abcdef', '***'],
    ['a quote and a backslash in JSON', 'ab"cd\\ef', '{"a":"ab\\"cd\\\\ef"}', '{"a":"***"}'],
    ['surrounded by blanks', '  abcdef\n', 'x abcdef y', 'x *** y'],
    ['an emoji in it', 'pass🙂word', 'x pass🙂word y 🙂', 'x *** y 🙂'],
    ['not in another case', 'abcdef', 'ABCDEF', 'ABCDEF'],
    ['not in part', 'abcdef', 'abcde bcdef', 'abcde bcdef'],
  ])('%s', (_, secret, text, masked) => {
    expect(mask(text, secret)).toBe(masked);
  });

  test('whichever of several it is, and the longest one whole', () => {
    expect(mask('secret-1 secret-12 secret-2', 'secret-1', 'secret-12', 'secret-2')).toBe('*** *** ***');
  });

  test('together with another that it overlaps', () => {
    expect(mask('-abcdefghi-', 'abcdef', 'defghi')).toBe('-***-');
  });

  test('line by line when it has several', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADAN\r\nx\nBgkqhkiG9w0B\n-----END KEY-----\n';
    expect(mask(`a\n${key}b`, key)).toBe('a\n***b');
    expect(mask('1: MIIEvQIBADAN\n2: x\n3: BgkqhkiG9w0B\n', key)).toBe('1: ***\n2: x\n3: ***\n');
    expect(mask(JSON.stringify({ key }), key)).toBe('{"key":"***"}');
    expect(mask(base64('MIIEvQIBADAN'), key)).toBe('***');
  });
});

describe('in longer base64 text', () => {
  test.each([0, 1, 2, 3, 4, 5])('a secret after %d bytes leaves nothing that can be decoded', (before) => {
    for (const encode of [base64, base64Url])
      for (const after of ['', 'z', 'zz', 'zzz']) {
        const text = encode(`${'u'.repeat(before)}${SECRET}${after}`);
        const masked = mask(text, SECRET);
        expect(masked).toContain('***');
        const left = masked.split('***').map((part) => Buffer.from(part, 'base64').toString('latin1'));
        expect(left.join('')).not.toMatch(/s3|cr|et|va|ue/);
      }
  });

  test.each(['\n', '\r\n'])('a secret is found across the line breaks %j', (lineBreak) => {
    const secret = 'x9'.repeat(60);
    const lines = base64(`some text before ${secret} and after`).match(/.{1,76}/g) ?? [];
    const masked = mask(lines.join(lineBreak), secret);
    expect(masked).toBe('c29tZSB0ZXh0IGJlZm9yZSB***gYW5kIGFmdGVy');
  });

  test('blank lines end it, so nothing is held back for ever', () => {
    const stream = buildMasker(['secret-value']).stream();
    expect(stream.push(`${base64('secret')}\n\n\n`)).toBe(`${base64('secret')}\n\n\n`);
  });
});

describe('a stream', () => {
  test('holds back only what may become a secret', () => {
    const stream = buildMasker(['abcdef']).stream();
    expect(stream.push('xyzab')).toBe('xyz');
    expect(stream.push('cd')).toBe('');
    expect(stream.push('!')).toBe('abcd!');
    expect(stream.push('abcde')).toBe('');
    expect(stream.push('fg')).toBe('***g');
    expect(stream.push('abc')).toBe('');
    expect(stream.flush()).toBe('abc');
  });

  test('goes on after a flush in the middle of a secret: the rest is masked', () => {
    const stream = buildMasker(['abcdef']).stream();
    expect([stream.push('xab'), stream.isHolding]).toEqual(['x', true]);
    expect([stream.flush(), stream.isHolding]).toEqual(['ab', false]);
    expect(stream.push('cd') + stream.push('ef!')).toBe('***!');
  });

  test('writes one mask for a run of overlapping secrets, whatever the chunks', () => {
    const stream = buildMasker(['ababab']).stream();
    expect(stream.push('abababab') + stream.push('ab') + stream.push('x') + stream.flush()).toBe('***x');
  });

  test('returns empty texts for empty chunks', () => {
    const stream = buildMasker(['abcdef']).stream();
    expect([stream.push(''), stream.flush()]).toEqual(['', '']);
  });

  const secrets = fc.array(
    fc.string({ unit: fc.constantFrom('a', 'b', '/', '"', 'é'), minLength: 6, maxLength: 9 }),
    {
      minLength: 1,
      maxLength: 4,
    },
  );

  test('masks the same as a whole text', () => {
    const property = fc.property(
      secrets,
      fc.array(
        fc.oneof(
          fc.nat(3),
          fc.string({ unit: fc.constantFrom('a', 'b', '/', '\n', 'é'), maxLength: 9 }),
          fc.constant(null),
        ),
        { maxLength: 8 },
      ),
      fc.array(fc.nat(), { maxLength: 6 }),
      (values, parts, cuts) => {
        const text = parts.map((part) => pieceOf(values, part)).join('');
        expect(maskInChunks(text, cuts, values)).toBe(mask(text, ...values));
      },
    );
    fc.assert(property, { numRuns: RUNS });
  });
});

function pieceOf(values: string[], part: number | string | null): string {
  if (typeof part === 'string') return part;
  return part === null ? base64(values.join('x')) : (values[part] ?? '');
}

test('what is masked is exactly what occurrences cover', () => {
  const letters = fc.constantFrom('a', 'b', 'c');
  const property = fc.property(
    fc.array(fc.string({ unit: letters, minLength: 6, maxLength: 8 }), { minLength: 1, maxLength: 5 }),
    fc.string({ unit: letters, maxLength: 200 }),
    (secrets, text) => {
      expect(mask(text, ...secrets)).toBe(maskedSlowly(text, secrets));
    },
  );
  fc.assert(property, { numRuns: RUNS });
});

/** Joins overlapping occurrences, as a reader of the definition would. */
function maskedSlowly(text: string, secrets: string[]): string {
  const spans = secrets.flatMap((secret) =>
    Array.from(text, (_, start) => ({ start, end: start + secret.length })).filter(({ start }) =>
      text.startsWith(secret, start),
    ),
  );
  let masked = '';
  let place = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start >= place) masked += `${text.slice(place, start)}***`;
    place = Math.max(place, end);
  }
  return masked + text.slice(place);
}

test('no form of any secret survives in any chunking', () => {
  const secret = fc
    .string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 40 })
    .filter((text) => !/\*\*/.test(text) && !tooShortToMask(text));
  const property = fc.property(
    secret,
    fc.string({ maxLength: 5 }),
    fc.array(fc.nat(), { maxLength: 9 }),
    (value, before, cuts) => {
      const forms = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), base64Url(value)];
      const masked = maskInChunks(forms.map((form) => `${before}${form}`).join('\n'), cuts, [value]);
      expect(forms.filter((form) => masked.includes(form))).toEqual([]);
    },
  );
  fc.assert(property, { numRuns: RUNS });
});

describe('time grows with the text only', () => {
  test('for a text that is nearly the secret at each place', () => {
    const secret = `${'a'.repeat(20_000)}b`;
    const text = 'a'.repeat(1_000_000);
    expect(mask(text, secret)).toBe(text);
  }, 10_000);

  test('for a thousand secrets, small chunks and many hits', () => {
    const secrets = Array.from({ length: 1000 }, (_, index) => `secret-${index}-value`);
    const stream = buildMasker(secrets).stream();
    const chunk = 'text secret-7-value and secret-77-val\n';
    let length = 0;
    for (let index = 0; index < 20_000; index++) length += stream.push(chunk).length;
    expect(length).toBe(20_000 * 'text *** and secret-77-val\n'.length);
  }, 10_000);
});

describe('a token of ours, whose value nobody keeps, is masked by its form', () => {
  const token = 'Ab3_-'.repeat(9).slice(0, 43);
  test.each([
    [`a made API token eh_${token} here`, 'a made API token *** here'],
    [`http://x/git/demo~ABC-1~${token}/info/refs`, 'http://x/git/demo~ABC-1***/info/refs'],
    [`eeh_${token}`, 'e***'],
    [`eh_${token.slice(1)} ~/${token} ~short`, `eh_${token.slice(1)} ~/${token} ~short`],
  ])('%s', (text, masked) => {
    expect(mask(text)).toBe(masked);
    expect(maskInChunks(text, [3, 12, 20, 33], [])).toBe(masked);
  });
});

test('without secrets, a text passes as it is', () => {
  const masker = buildMasker(['', 'short', '      ']);
  expect(masker.mask('short       text')).toBe('short       text');
  expect(masker.stream().push('short')).toBe('short');
});

test.each([
  ['', true],
  ['12345', true],
  ['123456', false],
  ['     1', true],
  ['🙂🙂🙂', true],
  ['🙂🙂🙂🙂🙂🙂', false],
])('%j is too short to be masked: %s', (value, isTooShort) => {
  expect(tooShortToMask(value)).toBe(isTooShort);
});

test.each([
  ['NPM_TOKEN', true],
  ['my_secret', true],
  ['API_KEY', true],
  ['KEYCLOAK_URL', true],
  ['DbPassword', true],
  ['PATH', false],
  ['NODE_ENV', false],
])('the name %s is one of a secret: %s', (name, isSecret) => {
  expect(isSecretName(name)).toBe(isSecret);
});
