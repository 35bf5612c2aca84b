/** Names of a workspace, all pure functions of the task identifier: key, branch, sandbox id. They never change between releases. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type Failure, failure } from './failure.ts';
import { type Result, err, ok } from './result.ts';

/** Longer identifiers carry no more meaning, and the record of a workspace stores the identifier. */
const MAX_IDENTIFIER_CODE_POINTS = 1024;
/** With the suffix a key stays within 118 characters: folder, ref and URL segment all have room for it. */
const MAX_STEM_LENGTH = 100;
const SUFFIX_HEX_DIGITS = 16;

const SUFFIXED_KEY = /--[0-9a-f]{16}$/;
const NOT_IN_KEYS = /[^A-Za-z0-9._-]/gu;
const CONTROL_CHARACTER = /\p{Cc}/u;

export const projectIdPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Different identifiers never share a key: a changed one carries a hash, an unchanged one never looks as if it did. */
export function workspaceKey(identifier: string): Result<string, Failure> {
  const fault = findFault(identifier);
  if (fault !== null) return err(failure('invalid_request', fault));
  const stem = plainStem(identifier);
  if (stem === identifier && !SUFFIXED_KEY.test(identifier)) return ok(identifier);
  return ok(`${stem}--${sha256Hex(identifier).slice(0, SUFFIX_HEX_DIGITS)}`);
}

export const branchName = (key: string): string => `symphony/${key}`;

/** Outside `symphony/`, so that no key can collide with a rescue branch. */
export const rescueBranchPrefix = (key: string): string => `symphony-rescue/${key}`;

/** Cloudflare limits ids to 63 lower-case characters and reserves some names: a hash is always accepted. */
export const sandboxId = (project: string, key: string): string =>
  `ws-${sha256Hex(`${project}/${key}`).slice(0, 40)}`;

function findFault(identifier: string): string | null {
  if (identifier === '') return 'The task identifier is empty: send 1 to 1024 characters.';
  if (
    identifier.length > 2 * MAX_IDENTIFIER_CODE_POINTS ||
    codePoints(identifier) > MAX_IDENTIFIER_CODE_POINTS
  )
    return `The task identifier has ${codePoints(identifier)} characters: send at most ${MAX_IDENTIFIER_CODE_POINTS}.`;
  if (!identifier.isWellFormed())
    return 'The task identifier holds half of a surrogate pair: send well-formed Unicode.';
  const control = CONTROL_CHARACTER.exec(identifier);
  if (control)
    return `The task identifier holds the control character ${codePointName(control[0])}: leave it out.`;
  return null;
}

function plainStem(identifier: string): string {
  const stem = carryable(identifier.replace(NOT_IN_KEYS, '_'));
  // A cut can bring a dot or `.lock` to the end, so what a branch can't carry is looked for again.
  return stem.length > MAX_STEM_LENGTH ? carryable(stem.slice(0, MAX_STEM_LENGTH)) : stem;
}

/** Replaces the dots that a folder or a git branch could not carry. */
const carryable = (text: string): string =>
  text
    .replace(/\.{2,}/g, (run) => '_'.repeat(run.length))
    .replace(/^\./, '_')
    .replace(/\.$/, '_')
    .replace(/\.lock$/, '_lock');

const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

const codePoints = (text: string): number => Array.from(text).length;

const codePointName = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
