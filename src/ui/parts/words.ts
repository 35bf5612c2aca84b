/** The API's names in plain words, and how much attention each deserves. */
import type { AttemptView, WorkspaceView } from '../../core/api.ts';

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'quiet';

interface Word {
  text: string;
  tone: Tone;
}

export const STATUS: Record<WorkspaceView['status'], Word> = {
  creating: { text: 'Creating', tone: 'busy' },
  ready: { text: 'Ready', tone: 'quiet' },
  running: { text: 'Running', tone: 'busy' },
  kept: { text: 'Kept', tone: 'warn' },
  damaged: { text: 'Damaged', tone: 'bad' },
  removing: { text: 'Removing', tone: 'busy' },
  removed: { text: 'Removed', tone: 'quiet' },
  failed: { text: 'Failed', tone: 'bad' },
};

export const PHASE: Record<NonNullable<WorkspaceView['phase']>, string> = {
  cloning: 'cloning',
  restoring: 'bringing the files back',
  after_create: 'after_create',
  before_run: 'before_run',
  agent: 'agent is working',
  agent_wait: 'waiting for your agent',
  after_run: 'after_run',
  saving: 'saving the branch',
  before_remove: 'before_remove',
  destroying: 'deleting the files',
};

export const SAVED: Record<WorkspaceView['saved']['status'], Word> = {
  saved: { text: 'Saved', tone: 'good' },
  nothing_to_save: { text: 'Nothing to save', tone: 'quiet' },
  diverged: { text: 'On rescue refs: diverged', tone: 'warn' },
  head_elsewhere: { text: 'On rescue refs: HEAD elsewhere', tone: 'warn' },
  unsaved: { text: 'Not saved', tone: 'warn' },
  failed: { text: 'Save failed', tone: 'bad' },
  no_repository: { text: 'No repository', tone: 'quiet' },
  unknown: { text: 'Not checked yet', tone: 'quiet' },
};

export const RUN: Record<AttemptView['hooks'][number]['outcome'], Word> = {
  ok: { text: 'ok', tone: 'good' },
  failed: { text: 'failed', tone: 'bad' },
  killed: { text: 'killed', tone: 'bad' },
  timeout: { text: 'timed out', tone: 'bad' },
  cancelled: { text: 'cancelled', tone: 'quiet' },
  lost: { text: 'lost', tone: 'bad' },
  skipped: { text: 'skipped', tone: 'quiet' },
};

export const OUTCOME: Record<NonNullable<AttemptView['outcome']>, Word> = {
  succeeded: { text: 'Succeeded', tone: 'good' },
  failed: { text: 'Failed', tone: 'bad' },
  timed_out: { text: 'Timed out', tone: 'bad' },
  cancelled: { text: 'Cancelled', tone: 'quiet' },
  lost: { text: 'Lost', tone: 'bad' },
};

export const LOCATION: Record<WorkspaceView['location'], string> = {
  cloudflare: 'Cloudflare sandbox',
  docker: 'Docker',
  host: 'This machine',
};

export const shortSha = (sha: string): string => sha.slice(0, 8);

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
