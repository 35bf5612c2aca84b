/** A real git server over HTTP on 127.0.0.1: `git http-backend` behind Node, with switches for what servers do wrong. */
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);

/** `hang` accepts and never answers; `hang-push` only pushes; `cut` breaks the connection in the middle of an answer. */
type GitServerMode =
  | 'up'
  | 'auth'
  | 'forbidden'
  | 'hang'
  | 'hang-push'
  | 'cut'
  | 404
  | 500
  | { redirect: string };

export interface GitServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly root: string;
  mode: GitServerMode;
  /** Repositories whose requests are never answered. */
  readonly silent: Set<string>;
  /** `METHOD path?query`, oldest first. */
  readonly requests: string[];
  /** Runs before a push is handed to git: a place for a race. Called once, then forgotten. */
  beforePush: (() => Promise<void>) | null;
  /** Makes a bare repository and answers its URL. */
  repository(
    name: string,
    options?: { files?: Record<string, string>; branch?: string; bare?: 'empty' },
  ): Promise<string>;
  /** Path of a repository on disk, for looking at it with plain git. */
  path(name: string): string;
  git(name: string, ...args: string[]): Promise<string>;
  /** null where there is no such branch. */
  sha(name: string, branch: string): Promise<string | null>;
  /** Commits files onto a branch, a new one from the repository's HEAD: what another person pushes. Answers the sha. */
  commit(name: string, branch: string, files: Record<string, string>, message?: string): Promise<string>;
  /** From now on every push is refused with this message; null: accepted again. */
  refusePushes(name: string, message: string | null): Promise<void>;
  /** Nobody listens at the port until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'A Person',
  GIT_AUTHOR_EMAIL: 'person@example.com',
  GIT_COMMITTER_NAME: 'A Person',
  GIT_COMMITTER_EMAIL: 'person@example.com',
};

export const gitEnvironment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  ...IDENTITY,
});

/** Plain git as a person or an agent uses it. */
export const git = async (cwd: string, ...args: string[]): Promise<string> => {
  const { stdout } = await execFileAsync('git', args, {
    cwd,
    env: gitEnvironment(),
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.trimEnd();
};

export const startGitServer = async (): Promise<GitServer> => {
  const root = await mkdtemp(join(tmpdir(), 'git-server-'));
  const sockets = new Set<Socket>();
  const http = createServer((request, response) => {
    void answer(server, request, response);
  });
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      http.once('error', reject);
      http.listen(port, '127.0.0.1', () => {
        http.off('error', reject);
        resolve();
      });
    });
  const unlisten = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await listen(0);
  const { port } = http.address() as AddressInfo;

  /** Built once and copied: most tests begin with the same repository. */
  const templates = new Map<string, Promise<string>>();
  let clock = Math.floor(Date.now() / 1000);

  const makeTemplate = async (
    template: string,
    { files, branch, bare }: { files: Record<string, string>; branch: string; bare: 'empty' | undefined },
  ): Promise<string> => {
    const path = server.path(template);
    await git(root, 'init', '--quiet', '--bare', '--template=', `--initial-branch=${branch}`, path);
    await server.git(template, 'config', 'http.receivepack', 'true');
    await mkdir(join(path, 'hooks'));
    if (bare === undefined) await server.commit(template, branch, files, 'Start');
    return template;
  };

  const server: GitServer = {
    url: `http://127.0.0.1:${port}`,
    root,
    mode: 'up',
    silent: new Set(),
    requests: [],
    beforePush: null,
    path: (name) => join(root, `${name}.git`),
    git: (name, ...args) => git(server.path(name), ...args),
    sha: (name, branch) =>
      server.git(name, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`).catch(() => null),
    async repository(name, { files = { 'README.md': '# Demo\n' }, branch = 'main', bare } = {}) {
      const key = JSON.stringify([files, branch, bare]);
      // Tests ask for repositories at once: the second one waits until the template is whole.
      const making =
        templates.get(key) ?? makeTemplate(`template-${templates.size}`, { files, branch, bare });
      templates.set(key, making);
      await cp(server.path(await making), server.path(name), { recursive: true });
      return `${server.url}/${name}.git`;
    },
    async commit(name, branch, files, message = 'Change') {
      const start =
        (await server.sha(name, branch)) ??
        (await server.git(name, 'rev-parse', '--verify', '-q', 'HEAD').catch(() => null));
      const input = [
        `commit refs/heads/${branch}\nmark :1\ncommitter A Person <person@example.com> ${(clock += 1)} +0000\n`,
        importData(message),
        start === null ? '' : `from ${start}\n`,
        ...Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${importData(text)}`),
        '\nget-mark :1\n',
      ].join('');
      return importInto(server.path(name), input);
    },
    async refusePushes(name, message) {
      const hook = join(server.path(name), 'hooks', 'pre-receive');
      if (message === null) return rm(hook, { force: true });
      const script = `#!/bin/sh\ncat <<'THE_END' >&2\n${message}\nTHE_END\nexit 1\n`;
      return writeFile(hook, script, { mode: 0o755 });
    },
    down: unlisten,
    up: () => listen(port),
    async close() {
      await unlisten();
      await rm(root, { recursive: true, force: true });
    },
  };
  return server;
};

const importData = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

/** One process instead of a clone, a commit and a push; hooks of the repository do not run. */
const importInto = (repository: string, input: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { cwd: repository, env: gitEnvironment() };
    const child = execFile('git', ['fast-import', '--quiet', '--force'], options, (error, stdout) => {
      if (error === null) resolve(stdout.trim());
      else reject(error);
    });
    child.stdin?.end(input);
  });

const answer = async (
  server: GitServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  server.requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
  const { mode } = server;
  const isPush = /git-receive-pack/.test(request.url ?? '');
  if ([...server.silent].some((name) => request.url?.startsWith(`/${name}.git/`))) return;
  if (mode === 'hang' || (mode === 'hang-push' && isPush)) return;
  if (mode === 'auth') {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('Log in\n');
  } else if (mode === 'forbidden') response.writeHead(403).end('Forbidden\n');
  else if (mode === 404 || mode === 500) response.writeHead(mode).end(`This is a ${mode}\n`);
  else if (typeof mode === 'object')
    response.writeHead(302, { location: mode.redirect + (request.url ?? '') }).end();
  else {
    if (isPush && request.method === 'POST' && server.beforePush !== null) {
      const race = server.beforePush;
      server.beforePush = null;
      await race();
    }
    runBackend(server, request, response);
  }
};

const runBackend = (server: GitServer, request: IncomingMessage, response: ServerResponse): void => {
  const url = new URL(request.url ?? '/', server.url);
  const { headers } = request;
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...gitEnvironment(),
      GIT_PROJECT_ROOT: server.root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: headers['content-type'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
      REMOTE_USER: 'somebody',
      ...(headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: headers['content-length'] }),
      ...(headers['content-encoding'] === undefined
        ? {}
        : { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
      ...(headers['git-protocol'] === undefined ? {} : { GIT_PROTOCOL: String(headers['git-protocol']) }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(backend.stdin);
  backend.stdin.on('error', () => undefined);
  response.on('close', () => backend.kill());
  let head = Buffer.alloc(0);
  backend.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) {
      if (server.mode === 'cut') response.destroy();
      else if (!response.write(chunk)) backend.stdout.pause();
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    writeHead(response, head.subarray(0, end).toString());
    response.write(head.subarray(end + 4));
  });
  response.on('drain', () => backend.stdout.resume());
  backend.stdout.on('end', () => response.end());
};

const writeHead = (response: ServerResponse, text: string): void => {
  let status = 200;
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
};
