/** The head of a push, gitprotocol-pack(5): shallow lines, then `old new ref` per ref. Parsed strictly, written anew. */
import { isSha } from '../git.ts';
import { type Result, err, ok } from '../result.ts';
import { fromByteText, joinBytes, toByteText } from './byte-text.ts';
import { type Capabilities, parseCapabilities } from './capabilities.ts';
import { FLUSH, encodePktLine } from './pkt-line.ts';

export interface Command {
  oldId: string;
  newId: string;
  /** One character per byte, without blanks and control characters; not necessarily a legal name. */
  ref: string;
}

/** Without a command it is what git sends to try a connection: nothing but a flush. */
export interface CommandList {
  /** The client's history ends at these commits. */
  shallow: string[];
  commands: Command[];
  capabilities: Capabilities;
}

export const parseCommandList = (payloads: readonly Uint8Array[]): Result<CommandList, string> => {
  const lines = payloads.map((payload) => toByteText(payload).replace(/\n$/, ''));
  const start = lines.findIndex((line) => !line.startsWith('shallow '));
  const rest = start < 0 ? [] : lines.slice(start);
  const shallow = lines.slice(0, lines.length - rest.length).map((line) => line.slice('shallow '.length));
  const [first = '', ...words] = (rest[0] ?? '').split('\0');
  if (first === 'push-cert') return err('signed pushes are not accepted: push with --no-signed');
  if (words.length > 1) return err('the first command has two lists of capabilities');
  const capabilities = parseCapabilities(words[0] ?? '');
  if (!capabilities.ok) return capabilities;
  const commands: Command[] = [];
  for (const line of rest.length === 0 ? [] : [first, ...rest.slice(1)]) {
    const command = parseCommand(line);
    if (command === null) return err('a command is not of the form "old-id new-id ref"');
    commands.push(command);
  }
  const list = { shallow, commands, capabilities: capabilities.value };
  return hasOneFormat(list) ? ok(list) : err('an object id is not one of the object format');
};

const parseCommand = (line: string): Command | null => {
  const [oldId = '', newId = '', ref = '', ...more] = line.split(' ');
  return isSha(oldId) && isSha(newId) && /^[!-~\u0080-\u00ff]+$/.test(ref) && more.length === 0
    ? { oldId, newId, ref }
    : null;
};

const hasOneFormat = ({ shallow, commands, capabilities }: CommandList): boolean => {
  const length = capabilities.objectFormat === 'sha256' ? 64 : 40;
  const ids = [...shallow, ...commands.flatMap((command) => [command.oldId, command.newId])];
  // A list of shallow lines alone names no format.
  return ids.every((id) => isSha(id) && (id.length === length || commands.length === 0));
};

export const isZeroId = (id: string): boolean => /^0+$/.test(id);

/** What the remote gets: written from what was checked, so no two readings of the client's bytes can differ. */
export const encodeCommandList = ({ shallow, commands, capabilities }: CommandList): Uint8Array => {
  if (commands.length === 0) return FLUSH;
  const words = capabilities.forwarded.map((word) => ` ${word}`).join('');
  const lines = [
    ...shallow.map((id) => `shallow ${id}`),
    ...commands.map(({ oldId, newId, ref }, at) => `${oldId} ${newId} ${ref}${at === 0 ? `\0${words}` : ''}`),
  ];
  return joinBytes([...lines.map((line) => encodePktLine(fromByteText(line))), FLUSH]);
};
