/** One workspace for all tests of a group. */
import { afterAll, beforeAll } from 'vitest';
import { openSession, type Session } from '../session.ts';
import type { Way } from '../way.ts';

/** The function answers the session while tests run. */
export function withSession(way: Way): () => Session {
  let session: Session | null = null;
  beforeAll(async () => {
    session = await openSession(way);
  });
  afterAll(() => session?.reached.end());
  return () => {
    if (session === null) throw new Error('no session');
    return session;
  };
}
