/** A grant is the right to one git operation on one repository. Whoever has the token has it: only its hash is kept. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const MIN_RANDOM_BYTES = 32;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** 32 bytes are 43 characters; more than 96 bytes nobody needs. */
const TOKEN = /^[A-Za-z0-9_-]{43,128}$/;

export const isGrantToken = (text: string): boolean => TOKEN.test(text);

/** base64url of at least 32 bytes of `crypto.getRandomValues`; fewer is a bug of the caller. */
export const newGrantToken = (random: Uint8Array): string => {
  if (random.length < MIN_RANDOM_BYTES)
    throw new RangeError(`A grant takes ${MIN_RANDOM_BYTES} random bytes.`);
  let token = '';
  let bits = 0;
  let held = 0;
  for (const byte of random) {
    held = ((held << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 6; bits -= 6) token += ALPHABET[(held >> (bits - 6)) & 63];
  }
  return bits === 0 ? token : token + ALPHABET[(held << (6 - bits)) & 63];
};

/** 64 hex digits. A token is random, so a plain hash cannot be guessed back. */
export const hashGrant = (token: string): Promise<string> =>
  Promise.resolve(bytesToHex(sha256(utf8ToBytes(token))));
