/** Bodies of pushes as git writes them, and as it never would. */

export const ZERO = '0'.repeat(40);
export const ONE = '1'.repeat(40);

export const pktLine = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;

export const pushHead = (refs: readonly string[], capabilities = ' report-status'): string =>
  `${refs.map((ref, at) => pktLine(`${ZERO} ${ONE} ${ref}${at === 0 ? `\0${capabilities}` : ''}`)).join('')}0000`;

export const PUSH_TYPE = 'application/x-git-receive-pack-request';
