/** Digests for comparing secrets: over values of one length, and every one of them is looked at. */

export async function indexOfEqual(presented: string, secrets: string[]): Promise<number> {
  const digest = await sha256(presented);
  let found = -1;
  for (const [index, secret] of secrets.entries())
    if (isSame(digest, await sha256(secret))) found = found === -1 ? index : found;
  return found;
}

export const hexDigest = async (text: string): Promise<string> =>
  [...(await sha256(text))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const sha256 = async (text: string) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));

/** Over digests of one length, every byte is looked at. */
function isSame(left: Uint8Array, right: Uint8Array): boolean {
  let difference = 0;
  for (let index = 0; index < left.length; index += 1)
    difference |= (left[index] as number) ^ (right[index] as number);
  return difference === 0;
}
