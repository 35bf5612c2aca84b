/** Whose a workspace is: written once when a fresh place is taken, and asked in every call. */
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { err, ok, type Result } from '../../core/result.ts';
import type { SupervisorError } from '../protocol.ts';
import { loadJson, loadText, saveOnce } from './atomic-file.ts';

const Claim = z.object({
  creation_id: z.string(),
  project: z.string(),
  key: z.string(),
  claimed_at_ms: z.number(),
});
export type Claim = z.infer<typeof Claim>;

const claimFile = (stateDirectory: string): string => join(stateDirectory, 'claim.json');

export const loadClaim = (stateDirectory: string): Claim | null =>
  Claim.safeParse(loadJson(claimFile(stateDirectory))).data ?? null;

/** False where another call was faster. */
export function saveClaim(stateDirectory: string, claim: Claim): boolean {
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  try {
    return saveOnce(claimFile(stateDirectory), JSON.stringify(claim));
  } catch (error) {
    // A full disk takes a folder but no claim: nobody would ever remove it.
    removeEmpty(stateDirectory);
    throw error;
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // There is something in it, or it is gone.
  }
}

/** Whether the place is still the caller's. */
export function checkClaim(stateDirectory: string, creationId: string): Result<Claim, SupervisorError> {
  const claim = loadClaim(stateDirectory);
  if (claim !== null) return claim.creation_id === creationId ? ok(claim) : err(otherIncarnation(claim));
  // An unreadable claim is somebody's all the same: nothing may be taken or deleted because of it.
  return loadText(claimFile(stateDirectory)) === null ? err(NO_INCARNATION) : err(UNREADABLE);
}

const NO_INCARNATION: SupervisorError = {
  code: 'no_incarnation',
  detail: 'This place was never claimed, or its disk is new.',
};

const UNREADABLE: SupervisorError = {
  code: 'other_incarnation',
  detail: 'The claim of this place cannot be read.',
};

const otherIncarnation = ({ project, key, creation_id }: Claim): SupervisorError => ({
  code: 'other_incarnation',
  detail: `This place belongs to ${project}/${key}, creation ${creation_id}.`,
});
