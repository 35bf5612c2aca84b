/** Ids of operations that were cancelled before they started: the start that such a cancel overtook comes too late. */
import { join } from 'node:path';
import * as z from 'zod';
import { loadJson, saveAtomic } from './atomic-file.ts';

/** The newest: far more than there are starts under way. */
const KEPT_IDS = 200;

const Ids = z.array(z.string());

export class EarlyCancels {
  readonly #file: string;
  /** Oldest first. */
  #ids: string[];

  constructor(stateDirectory: string) {
    this.#file = join(stateDirectory, 'early-cancels.json');
    this.#ids = Ids.safeParse(loadJson(this.#file)).data ?? [];
  }

  has(id: string): boolean {
    return this.#ids.includes(id);
  }

  /** Also for the supervisor after this one. Throws where the disk does not take it: the cancel has to be repeated. */
  add(id: string): void {
    this.#ids = [...this.#ids.filter((other) => other !== id), id].slice(-KEPT_IDS);
    saveAtomic(this.#file, JSON.stringify(this.#ids));
  }
}
