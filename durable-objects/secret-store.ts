/**
 * Values at rest: AES-256-GCM with a key derived from the secret ENCRYPTION_KEY, bound to a scope and a name, so that a ciphertext moved
 * to another row does not open. A rotation sets the new key and keeps the old one as ENCRYPTION_KEY_PREVIOUS until the values were written again.
 */
import { failure, type Failure } from '../src/core/failure.ts';
import { err, ok, type Result } from '../src/core/result.ts';
import type { Env } from '../src/sandbox/env.ts';

const NOT_CONFIGURED = failure(
  'encryption_not_configured',
  'set the secret ENCRYPTION_KEY (at least 32 random characters), for example with `wrangler secret put ENCRYPTION_KEY`',
);
const MIN_SECRET_LENGTH = 32;
const IV_BYTES = 12;

const bytes = (text: string) => new TextEncoder().encode(text);

async function deriveKey(secret: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', bytes(secret), 'HKDF', false, ['deriveKey']);
  const params = { name: 'HKDF', hash: 'SHA-256', salt: bytes('edge-harness/values'), info: bytes('v1') };
  return crypto.subtle.deriveKey(params, material, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
}

const hasEncryptionKey = (env: Env): boolean => (env.ENCRYPTION_KEY ?? '').length >= MIN_SECRET_LENGTH;

/** `iv ‖ ciphertext`, base64. */
export async function seal(
  env: Env,
  scope: string,
  name: string,
  value: string,
): Promise<Result<string, Failure>> {
  if (!hasEncryptionKey(env)) return err(NOT_CONFIGURED);
  const key = await deriveKey(env.ENCRYPTION_KEY ?? '');
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData: bytes(`${scope}\0${name}`) },
    key,
    bytes(value),
  );
  return ok(Buffer.concat([iv, new Uint8Array(sealed)]).toString('base64'));
}

export async function unseal(
  env: Env,
  scope: string,
  name: string,
  sealed: string,
): Promise<Result<string, Failure>> {
  if (!hasEncryptionKey(env)) return err(NOT_CONFIGURED);
  const secrets = [env.ENCRYPTION_KEY, env.ENCRYPTION_KEY_PREVIOUS].filter((secret) => secret !== undefined);
  for (const secret of secrets) {
    const value = await open(secret, `${scope}\0${name}`, Buffer.from(sealed, 'base64'));
    if (value !== null) return ok(value);
  }
  return err(
    failure(
      'encryption_not_configured',
      `the value of ${name} was sealed with another ENCRYPTION_KEY; set that one as ENCRYPTION_KEY_PREVIOUS or write the value again`,
    ),
  );
}

async function open(secret: string, additionalData: string, sealed: Uint8Array): Promise<string | null> {
  try {
    const key = await deriveKey(secret);
    const algorithm = {
      name: 'AES-GCM',
      iv: sealed.subarray(0, IV_BYTES),
      additionalData: bytes(additionalData),
    };
    return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, sealed.subarray(IV_BYTES)));
  } catch {
    return null;
  }
}
