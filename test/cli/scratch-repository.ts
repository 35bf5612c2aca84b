/** A repository in a temporary folder, and the command line run in it as a function. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CliDiagnostic } from '../../src/cli/cli-diagnostic.ts';
import type { CliIo } from '../../src/cli/io.ts';
import { runHarness } from '../../src/cli/main.ts';
import { nodeFiles, nodeProcesses } from '../../src/cli/node-io.ts';

export interface RunResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

interface JsonResult {
  ok: boolean;
  diagnostics: CliDiagnostic[];
  operations: { action: string; path: string; provider: string; drift?: string; diff?: string }[];
  skipped: unknown[];
}

export class ScratchRepository {
  readonly root: string;

  /** The folder's name has blanks and letters beyond ASCII, as people's folders do. */
  constructor() {
    const parent = mkdtempSync(join(tmpdir(), 'harness-'));
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
    this.root = join(parent, 'my ünï répo');
    mkdirSync(this.root);
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, content: string | object): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), typeof content === 'string' ? content : JSON.stringify(content));
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  has(name: string): boolean {
    return statSync(this.path(name), { throwIfNoEntry: false }) !== undefined;
  }

  remove(name: string): void {
    rmSync(this.path(name), { recursive: true });
  }

  /** Every file with its content. */
  snapshot(): Record<string, string> {
    const names = readdirSync(this.root, { recursive: true, encoding: 'utf8' }).sort();
    const files = names.filter((name) => statSync(this.path(name)).isFile());
    return Object.fromEntries(files.map((name) => [name, this.read(name)]));
  }

  async run(command: string | string[], more: Partial<CliIo> = {}): Promise<RunResult> {
    let stdout = '';
    let stderr = '';
    const io: CliIo = {
      cwd: this.root,
      env: {},
      isTty: false,
      stdout: { write: (text) => void (stdout += text) },
      stderr: { write: (text) => void (stderr += text) },
      files: nodeFiles,
      processes: nodeProcesses,
      ask: () => Promise.reject(new Error('Nobody is there to ask.')),
      ...more,
    };
    const exitCode = await runHarness(typeof command === 'string' ? command.split(' ') : command, io);
    return { exitCode, stdout, stderr };
  }

  async json(command: string, more: Partial<CliIo> = {}): Promise<JsonResult> {
    const { stdout } = await this.run(`${command} --json`, more);
    return JSON.parse(stdout) as JsonResult;
  }

  /** A manifest and sources as they are left by init, provider enable and add hook. */
  set(providers: string[], hooks: Record<string, object>): void {
    const entities = Object.keys(hooks).map((id) => ({ type: 'hook', id }));
    this.write('.harness/manifest.json', { version: 1, providers, entities });
    for (const [id, document] of Object.entries(hooks)) this.write(`.harness/src/hooks/${id}.json`, document);
  }
}

export const command = (event: string, text: string, more: object = {}): object => ({
  mode: 'best_effort',
  events: { [event]: [{ type: 'command', command: text, ...more }] },
});

export const notify = (...argv: string[]): object => ({
  events: { turn_complete: [{ type: 'notify', command: argv }] },
});
