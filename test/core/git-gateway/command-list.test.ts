import { describe, expect, test } from 'vitest';
import { fromByteText, toByteText } from '../../../src/core/git-gateway/byte-text.ts';
import { encodeCommandList, parseCommandList } from '../../../src/core/git-gateway/command-list.ts';
import { CommandReader, MAX_HEAD_BYTES } from '../../../src/core/git-gateway/command-reader.ts';
import { ONE, ZERO, pktLine, pushHead } from '../../support/push-body.ts';

const parse = (...lines: string[]) => parseCommandList(lines.map(fromByteText));

const faultOf = (...lines: string[]): string => {
  const list = parse(...lines);
  return list.ok ? 'no fault' : list.error;
};

const BRANCH = 'refs/heads/symphony/ABC-1';
const CREATE = `${ZERO} ${ONE} ${BRANCH}`;

describe('reading', () => {
  test('the list of a real git push is understood', () => {
    const capabilities = ' report-status-v2 side-band-64k object-format=sha1 agent=git/2.39.5';
    expect(parse(`shallow ${ONE}`, `${CREATE}\0${capabilities}`, `${ONE} ${ZERO} refs/heads/a\n`)).toEqual({
      ok: true,
      value: {
        shallow: [ONE],
        commands: [
          { oldId: ZERO, newId: ONE, ref: BRANCH },
          { oldId: ONE, newId: ZERO, ref: 'refs/heads/a' },
        ],
        capabilities: {
          forwarded: ['report-status-v2', 'side-band-64k', 'object-format=sha1', 'agent=git/2.39.5'],
          objectFormat: 'sha1',
          wantsReport: true,
          hasSideBand: true,
          wantsPushOptions: false,
        },
      },
    });
  });

  const sha256 = '1'.repeat(64);
  test.each([
    ['push-cert\0 push-cert=nonce', 'signed pushes are not accepted: push with --no-signed'],
    [`${CREATE}\0 a\0 b`, 'the first command has two lists of capabilities'],
    [`${CREATE}\0 object-format=sha512`, 'the object format is neither sha1 nor sha256'],
    [`${CREATE}\0 object-format=sha1 object-format=sha256`, 'the object format is neither sha1 nor sha256'],
    [`${CREATE}\0 object-format=sha256`, 'an object id is not one of the object format'],
    [`${sha256} ${sha256} ${BRANCH}`, 'an object id is not one of the object format'],
    [`${sha256} ${ONE} ${BRANCH}\0 object-format=sha256`, 'an object id is not one of the object format'],
    [`${'A'.repeat(40)} ${ONE} ${BRANCH}`, 'a command is not of the form "old-id new-id ref"'],
    [`${ZERO} ${ONE} `, 'a command is not of the form "old-id new-id ref"'],
    [`${ZERO} ${ONE} refs/heads/a b`, 'a command is not of the form "old-id new-id ref"'],
    [`${ZERO} ${ONE} refs/heads/a\nb`, 'a command is not of the form "old-id new-id ref"'],
    [`${ZERO}  ${ONE} ${BRANCH}`, 'a command is not of the form "old-id new-id ref"'],
    [`${ZERO} ${ONE.slice(1)} ${BRANCH}`, 'a command is not of the form "old-id new-id ref"'],
    ['', 'a command is not of the form "old-id new-id ref"'],
  ])('%j is refused: %s', (line, fault) => {
    expect(faultOf(line)).toBe(fault);
  });

  test('capabilities after the first command are refused', () => {
    expect(faultOf(CREATE, `${CREATE}\0 report-status`)).toContain('not of the form');
  });

  test('shallow lines after a command are refused', () => {
    expect(faultOf(CREATE, `shallow ${ONE}`)).toContain('not of the form');
  });

  test('a shallow line without an object id is refused', () => {
    expect(faultOf('shallow main', CREATE)).toBe('an object id is not one of the object format');
  });
});

describe('writing', () => {
  test('unknown capabilities are left out, the rest is as git writes it', () => {
    const list = parse(`${CREATE}\0 quiet evil=1 report-status atomic agent=a\u00ff push-cert=x`);
    expect(list.ok && toByteText(encodeCommandList(list.value))).toBe(
      `${pktLine(`${CREATE}\0 quiet report-status atomic`)}0000`,
    );
  });

  test('a list without commands becomes a flush', () => {
    for (const lines of [[], [`shallow ${ONE}`]]) {
      const list = parse(...lines);
      expect(list.ok && toByteText(encodeCommandList(list.value))).toBe('0000');
    }
  });

  test('a name in any encoding goes back byte for byte', () => {
    const list = parse(`${ZERO} ${ONE} refs/heads/\u00c3\u00a4\u00ff`);
    expect(list.ok && toByteText(encodeCommandList(list.value))).toContain('refs/heads/\u00c3\u00a4\u00ff');
  });
});

describe('collecting', () => {
  const body = fromByteText(`${pushHead([BRANCH])}PACKxyz`);

  test.each([1, 2, 3, 7, 50, 1000])(
    'pieces of %d bytes give the same list, and the pack stays whole',
    (size) => {
      const reader = new CommandReader();
      for (let at = 0; ; at += size) {
        const head = reader.add(body.subarray(at, at + size));
        if (!head.ok) throw new Error(head.error);
        if (head.value === null) continue;
        expect(head.value.list.commands).toEqual([{ oldId: ZERO, newId: ONE, ref: BRANCH }]);
        const rest = toByteText(head.value.rest) + toByteText(body.subarray(at + size));
        expect(rest).toBe('PACKxyz');
        return;
      }
    },
  );

  test('commands without an end are refused at the limit', () => {
    const reader = new CommandReader();
    const piece = fromByteText(pktLine(`shallow ${ONE}`).repeat(100));
    const whole = Math.floor(MAX_HEAD_BYTES / piece.length);
    for (let at = 0; at < whole; at += 1) expect(reader.add(piece)).toEqual({ ok: true, value: null });
    expect(reader.add(piece)).toEqual({ ok: false, error: 'the commands are over 524288 bytes' });
  });

  test('commands in one piece are refused at the limit, too', () => {
    const piece = fromByteText(`${pktLine(`shallow ${ONE}`).repeat(11_000)}0000`);
    expect(new CommandReader().add(piece)).toEqual({
      ok: false,
      error: 'the commands are over 524288 bytes',
    });
  });
});
