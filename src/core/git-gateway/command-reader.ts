/** Collects the head of a push from chunks of any size, and says where the pack starts. */
import { type Result, err, ok } from '../result.ts';
import { type CommandList, parseCommandList } from './command-list.ts';
import { PktLineReader } from './pkt-line.ts';

/** Two object ids, a ref name, capabilities: git's longest command stays far below. */
const MAX_COMMAND_BYTES = 4096;
/** A save pushes up to 201 refs of 400 bytes; a shallow clone names its edge, 52 bytes per commit. */
export const MAX_HEAD_BYTES = 512 * 1024;

export interface PushHead {
  list: CommandList;
  /** What of the last chunk comes after the head. */
  rest: Uint8Array;
}

export class CommandReader {
  readonly #reader = new PktLineReader(MAX_COMMAND_BYTES);
  readonly #payloads: Uint8Array[] = [];
  #bytes = 0;

  /** null: the head goes on in the next chunk. After an answer or a fault the reader is of no use. */
  add(chunk: Uint8Array): Result<PushHead | null, string> {
    const from = { bytes: chunk, at: 0 };
    for (;;) {
      const line = this.#reader.read(from);
      if (!line.ok) return line;
      if (this.#bytes + from.at > MAX_HEAD_BYTES) return err(`the commands are over ${MAX_HEAD_BYTES} bytes`);
      if (line.value === null) break;
      if (line.value.kind === 'data') this.#payloads.push(line.value.payload);
      else return this.#finish(chunk.subarray(from.at));
    }
    this.#bytes += chunk.length;
    return ok(null);
  }

  #finish(rest: Uint8Array): Result<PushHead, string> {
    const list = parseCommandList(this.#payloads);
    return list.ok ? ok({ list: list.value, rest }) : list;
  }
}
