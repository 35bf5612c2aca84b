/** Starts the git gateway in Node or in workerd, as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from 'miniflare';
import { hashGrant, newGrantToken } from '../../src/core/git-gateway/grant.ts';
import type { GitAudit, GrantAccess } from '../../src/http/git-gateway.ts';
import type { GatewayConfig } from './git-gateway-entry.ts';

export type GatewayRuntime = 'node' | 'workerd';

export interface Gateway {
  /** Without a slash at the end. */
  readonly url: string;
  readonly pid: number;
  /** Where git finds the repository of a grant. */
  address(name: string): string;
  token(name: string): string;
  audits(): Promise<GitAudit[]>;
  close(): Promise<void>;
}

/** `grants` by a name that tests use for them. */
export const startGateway = async (
  runtime: GatewayRuntime,
  grants: Record<string, GrantAccess>,
  maxBodyBytes: number | null = null,
): Promise<Gateway> => {
  const tokens = new Map<string, string>();
  const config: GatewayConfig = { grants: {}, maxBodyBytes };
  for (const [name, grant] of Object.entries(grants)) {
    const token = newGrantToken(randomBytes(32));
    tokens.set(name, token);
    config.grants[await hashGrant(token)] = grant;
  }
  const { url, pid, close } = await STARTERS[runtime](JSON.stringify(config));
  const token = (name: string): string => tokens.get(name) ?? name;
  return {
    url,
    pid,
    close,
    token,
    address: (name) => `${url}/git/${token(name)}`,
    audits: async () => (await (await fetch(`${url}/audit`)).json()) as GitAudit[],
  };
};

const startInNode = async (config: string) => {
  const program = fileURLToPath(new URL('git-gateway-node.ts', import.meta.url).href);
  const child = spawn(process.execPath, [program], {
    env: { CONFIG: config },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = await firstLine(child);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    close: () =>
      new Promise<void>((resolve) => {
        child.once('exit', () => resolve());
        child.stdin.end();
      }),
  };
};

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    child.stdout?.once('data', (text: Buffer) => resolve(text.toString().trim()));
    child.once('exit', (code) => reject(new Error(`The gateway ended with ${code}.`)));
  });

const startInWorkerd = async (config: string) => {
  const bundle = await build({
    entryPoints: [fileURLToPath(new URL('git-gateway-worker.ts', import.meta.url).href)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
  });
  const before = workerdChildren();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'git-gateway',
      host: '127.0.0.1',
      port: 0,
      compatibilityDate: '2026-10-01',
      compatibilityFlags: ['nodejs_compat'],
      bindings: { CONFIG: config },
      modules: [{ type: 'ESModule', path: 'worker.mjs', contents: bundle.outputFiles[0]?.text ?? '' }],
      log: new Log(LogLevel.ERROR),
    }),
  );
  const url = (await miniflare.ready).href.replace(/\/$/, '');
  const pid = workerdChildren().find((child) => !before.includes(child)) ?? 0;
  return { url, pid, close: () => miniflare.dispose() };
};

const STARTERS = { node: startInNode, workerd: startInWorkerd };

const workerdChildren = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isWorkerdChild(name))
    .map(Number);

const isWorkerdChild = (pid: string): boolean => {
  const status = readStatus(pid);
  return /^Name:\s+workerd$/m.test(status) && new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status);
};

const readStatus = (pid: string | number): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
};

/** The most memory that the process ever held. */
export const peakBytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readStatus(pid))?.[1]) * 1024;
