/** Makes named pipes. Node cannot, and a process for each start would cost a short script much of its time: so ahead, in batches. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BATCH = 16;

export class PipeSupply {
  readonly #folder: string;
  readonly #spares: string[];
  #made = 0;
  #filling: Promise<void> | null = null;

  /** On the same file system as the pipes that are asked for. */
  constructor(stateDirectory: string) {
    this.#folder = join(stateDirectory, 'pipes');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#spares = readdirSync(this.#folder).map((name) => join(this.#folder, name));
  }

  async take(target: string): Promise<void> {
    if (this.#spares.length === 0) await this.fill();
    const spare = this.#spares.pop();
    if (spare === undefined) throw new Error(`no named pipe can be made in ${this.#folder}`);
    renameSync(spare, target);
  }

  /** Has some ready. Called when nobody waits. */
  async fill(): Promise<void> {
    if (this.#spares.length >= 2) return;
    this.#filling ??= this.#makeBatch();
    await this.#filling;
    this.#filling = null;
  }

  /** Nothing is made where the workspace was removed meanwhile. */
  async #makeBatch(): Promise<void> {
    const paths = Array.from({ length: BATCH }, () => {
      this.#made += 1;
      return join(this.#folder, `${process.pid}-${this.#made}`);
    });
    try {
      await promisify(execFile)('mkfifo', ['-m', '600', ...paths]);
      this.#spares.push(...paths);
    } catch {
      // `take` says so where somebody needs one.
    }
  }
}
