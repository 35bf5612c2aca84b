/** What a script reads from its command line and environment. A mistake gets one line and the usage, no stack trace. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

export function readOptions<const O extends Options>(usage: string, options: O): Values<O> {
  if (process.argv.some((argument) => argument === '--help' || argument === '-h')) {
    console.log(`usage: ${usage}`);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (thrown) {
    return misuse(usage, messageOf(thrown));
  }
}

export function misuse(usage: string, message: string): never {
  console.error(`error: ${message}\nusage: ${usage}`);
  process.exit(2);
}

/** PORT; 0 stands for any free port. */
export function readPort(usage: string, otherwise: number): number {
  const port = process.env['PORT'];
  if (port === undefined || port === '') return otherwise;
  return /^\d{1,5}$/.test(port) && Number(port) <= 65_535
    ? Number(port)
    : misuse(usage, `PORT is "${port}": it must be a whole number from 0 to 65535`);
}

/** API_TOKEN, which may hold several as in a deployment; a script uses the first. Blank is none. */
export function readTokens(otherwise: string): { token: string; all: string } {
  const tokens = (process.env['API_TOKEN'] ?? '').split(/[\s,]+/).filter((token) => token !== '');
  return { token: tokens[0] ?? otherwise, all: tokens.join(',') || otherwise };
}

export function fail(thrown: unknown): never {
  console.error(`error: ${messageOf(thrown)}`);
  process.exit(1);
}

/** `fetch failed` alone does not say why, nor does `spawnSync git ENOENT`. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (isMissingProgram(thrown))
    return `${(thrown as NodeJS.ErrnoException).path} cannot be started: is it installed, and on the PATH?`;
  return thrown.cause instanceof Error ? `${thrown.message}: ${thrown.cause.message}` : thrown.message;
}

const isMissingProgram = (error: NodeJS.ErrnoException): boolean =>
  error.code === 'ENOENT' && (error.syscall ?? '').startsWith('spawn');
