/** A full disk or a missing permission is an expected failure of an operation, not a bug. */
import { otherFailure, type GitFailure } from '../../core/git-failure.ts';

export const answerDiskErrors = async <T>(
  work: () => Promise<T>,
  answer: (failure: GitFailure) => T,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const { code, syscall, path } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    return answer(otherFailure(`The disk answered ${code} (${syscall} ${path ?? ''}).`));
  }
};
