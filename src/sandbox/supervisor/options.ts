/** How the supervisor was started. Pure: arguments and environment in, options or a sentence out. */
import { parseArgs } from 'node:util';
import { err, ok, type Result } from '../../core/result.ts';
import { SUPERVISOR_PORT } from '../protocol.ts';

interface Common {
  readonly listen: string;
  readonly port: number;
  readonly stateDirectory: string;
  /** Ends with the program that started it, whose end of this pipe closes then. */
  readonly watchStdin: boolean;
}

export interface HostOptions extends Common {
  readonly mode: 'host';
  readonly token: string;
  /** Folders under which workspaces may be. */
  readonly roots: readonly string[];
  /** Folders that a bubblewrapped script must not see besides these and the state: where whoever started us keeps secrets. */
  readonly hidden: readonly string[];
  /** Project → the folder of the WORKFLOW.md that it was registered from. */
  readonly workflowFolders: ReadonlyMap<string, string>;
}

export interface SandboxOptions extends Common {
  readonly mode: 'sandbox';
  readonly workspace: string;
  /** The machine is this workspace's alone: what runs beside the supervisor is a leftover. */
  readonly ownContainer: boolean;
}

export type Options = HostOptions | SandboxOptions;

export const USAGE = `supervisor --mode host --state DIR --roots DIR[:DIR…] [--port N] [--token-file FILE]
           [--workflow-dir PROJECT=DIR]… [--hide DIR]… [--watch-stdin]      token: EDGE_HARNESS_SUPERVISOR_TOKEN or the file
supervisor --mode sandbox [--own-container]                  EDGE_HARNESS_PORT, _LISTEN, _STATE, _WORKSPACE`;

const FLAGS = {
  mode: { type: 'string' },
  port: { type: 'string' },
  state: { type: 'string' },
  roots: { type: 'string' },
  'token-file': { type: 'string' },
  'workflow-dir': { type: 'string', multiple: true },
  hide: { type: 'string', multiple: true },
  'watch-stdin': { type: 'boolean' },
  'own-container': { type: 'boolean' },
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** `readToken` reads the file of `--token-file`. */
export function parseOptions(
  argv: readonly string[],
  env: Environment,
  readToken: (path: string) => string,
): Result<Options, string> {
  try {
    const { values } = parseArgs({ args: [...argv], options: FLAGS });
    if (values.mode === 'sandbox') return ok(parseSandbox(values, env));
    return values.mode === 'host' ? parseHost(values, env, readToken) : err('--mode is host or sandbox');
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof FLAGS }>>['values'];

function parseSandbox(values: Values, env: Environment): SandboxOptions {
  return {
    mode: 'sandbox',
    // The container's own network: only the platform's proxy reaches it, so there is no token. What runs inside could
    // read one anyway.
    listen: env['EDGE_HARNESS_LISTEN'] ?? '0.0.0.0',
    port: Number(values.port ?? env['EDGE_HARNESS_PORT'] ?? SUPERVISOR_PORT),
    stateDirectory: values.state ?? env['EDGE_HARNESS_STATE'] ?? '/var/lib/edge-harness',
    watchStdin: values['watch-stdin'] ?? false,
    workspace: env['EDGE_HARNESS_WORKSPACE'] ?? '/workspace',
    ownContainer: values['own-container'] ?? false,
  };
}

function parseHost(
  values: Values,
  env: Environment,
  readToken: (path: string) => string,
): Result<HostOptions, string> {
  const tokenFile = values['token-file'];
  const token = (
    tokenFile === undefined ? env['EDGE_HARNESS_SUPERVISOR_TOKEN'] : readToken(tokenFile)
  )?.trim();
  if (token === undefined || token.length < 16) return err('a token of at least 16 characters is needed');
  if (values.state === undefined || values.roots === undefined) return err('--state and --roots are needed');
  const port = Number(values.port ?? 0);
  if (!Number.isInteger(port)) return err('--port is a number');
  const pairs = (values['workflow-dir'] ?? []).map((text): [string, string] => {
    const at = Math.max(0, text.indexOf('='));
    return [text.slice(0, at), text.slice(at + 1)];
  });
  if (pairs.some(([project]) => project === '')) return err('--workflow-dir is PROJECT=DIR');
  return ok({
    mode: 'host',
    listen: '127.0.0.1',
    port,
    stateDirectory: values.state,
    watchStdin: values['watch-stdin'] ?? false,
    token,
    roots: values.roots.split(':').filter((root) => root !== ''),
    hidden: values.hide ?? [],
    workflowFolders: new Map(pairs),
  });
}
