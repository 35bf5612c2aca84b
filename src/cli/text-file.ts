/** Bytes of a file that people own ↔ text, without loss: what is not UTF-8 is refused rather than mangled. */
import { isUtf8 } from './builtins.ts';

/** With its byte order mark, if it has one; `undefined` when the bytes are no UTF-8. */
export const decodeText = (bytes: Uint8Array): string | undefined =>
  isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : undefined;
