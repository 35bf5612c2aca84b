/** The three addresses of git's smart HTTP under a grant, and nothing else. Works on raw text: nothing is decoded. */
import { type Result, err, ok } from '../result.ts';
import { isGrantToken } from './grant.ts';

export type GitService = 'git-upload-pack' | 'git-receive-pack';

/** `refs` asks what there is, `exchange` is the conversation itself. */
export interface GitAddress {
  grant: string;
  service: GitService;
  step: 'refs' | 'exchange';
}

export interface Refusal {
  status: 400 | 403 | 404 | 405 | 413 | 415 | 429 | 502 | 503;
  text: string;
  /** With 405. */
  allow?: 'GET' | 'POST';
}

const METHODS = { refs: 'GET', exchange: 'POST' } as const;

/** `path` and `search` as they stand in the request, the latter with its `?`. */
export const parseGitAddress = (
  method: string,
  path: string,
  search: string,
): Result<GitAddress, Refusal> => {
  const [, root, grant = '', ...tail] = path.split('/');
  const step = stepOf(tail.join('/'));
  if (root !== 'git' || !isGrantToken(grant) || step === null)
    return err({ status: 404, text: 'There is no git repository at this address.' });
  if (method !== METHODS[step])
    return err({ status: 405, text: `This address takes ${METHODS[step]} only.`, allow: METHODS[step] });
  const service = step === 'refs' ? serviceOf(search) : search === '' ? (tail[0] as GitService) : null;
  if (service === null) return err({ status: 400, text: SERVICE_FAULT[step] });
  return ok({ grant, service, step });
};

const SERVICE_FAULT = {
  refs: 'The query is neither service=git-upload-pack nor service=git-receive-pack: only smart HTTP is served.',
  exchange: 'This address takes no query.',
};

const stepOf = (tail: string): GitAddress['step'] | null => {
  if (tail === 'info/refs') return 'refs';
  return tail === 'git-upload-pack' || tail === 'git-receive-pack' ? 'exchange' : null;
};

const serviceOf = (search: string): GitService | null => {
  if (search === '?service=git-upload-pack') return 'git-upload-pack';
  return search === '?service=git-receive-pack' ? 'git-receive-pack' : null;
};

/** Where the same step of another repository is. `base` has no slash at the end. */
export const stepPath = ({ service, step }: Pick<GitAddress, 'service' | 'step'>): string =>
  step === 'refs' ? `/info/refs?service=${service}` : `/${service}`;
