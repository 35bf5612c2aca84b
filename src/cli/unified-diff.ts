/** An operation as a unified diff that `patch` and `git apply` read. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { Operation } from './plan-file.ts';

/** Empty when nothing changes. */
export const unifiedDiff = ({ path, before, after }: Operation): string => {
  if (before === after) return '';
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const to = after === undefined ? '/dev/null' : `b/${path}`;
  return createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, {
    headerOptions: FILE_HEADERS_ONLY,
  });
};
