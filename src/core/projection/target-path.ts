/** A `targetPath` of a side-car: normalised, or the reason why it is refused. Nothing outside the repository, nothing of its inner workings. */
import type { Result } from '../result.ts';
import { err, ok } from '../result.ts';

const CONTROL = /\p{Cc}/u; // no file that a person can name holds them
const DRIVE = /^[a-zA-Z]:/;

export const parseTargetPath = (text: string): Result<string, string> => {
  const trimmed = text.trim();
  const reason = refusal(trimmed);
  if (reason !== undefined) return err(reason);
  const steps = trimmed.split('/').filter((step) => step !== '' && step !== '.');
  if (steps.length === 0) return err('it names no file');
  const [root, ...inner] = steps.map((step) => step.toLowerCase());
  if (root === '.harness' || root === '.git' || inner.includes('.git'))
    return err(`files under ${root === '.harness' ? root : '.git'}/ are not for provider configuration`);
  return ok(steps.join('/'));
};

const refusal = (path: string): string | undefined => {
  if (path === '') return 'it is blank';
  if (path.startsWith('/') || DRIVE.test(path)) return 'it is absolute';
  if (path.startsWith('~')) return '~ stands for a folder outside the repository';
  if (path.includes('\\')) return 'it holds a backslash';
  if (CONTROL.test(path)) return 'it holds a control character';
  if (path.split('/').includes('..')) return "it holds '..'";
  if (path.endsWith('/') || path.endsWith('/.')) return 'it names a folder';
  return undefined;
};
