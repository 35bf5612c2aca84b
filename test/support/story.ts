/** Recorded events as one short line each, for tests that compare a whole life at once. */

interface Recorded {
  name: string;
  data: Record<string, unknown>;
}

export const tellStory = (events: Recorded[]): string[] => events.map(tell);

function tell({ name, data }: Recorded): string {
  const { number, outcome, retry, hook, status } = data;
  switch (name) {
    case 'attempt':
      if (retry !== undefined) return words('attempt', number, 'retry', retry);
      return outcome === null ? words('attempt', number, 'begins') : tellEnd(data);
    case 'hook':
      return words(hook, outcome, ...(outcome === 'failed' ? [data['exit_code']] : []));
    case 'save':
      return words('save', status);
    case 'removal':
    case 'workspace':
      return words(name, ...tellFirst(data));
    default:
      return words(name, JSON.stringify(data));
  }
}

function tellEnd(data: Record<string, unknown>): string {
  const { failure, number, outcome } = data;
  const code = typeof failure === 'object' && failure !== null && 'code' in failure ? [failure.code] : [];
  const line = words('attempt', number, outcome, ...code);
  return data['next_retry_at_ms'] === null ? line : `${line}, to be retried`;
}

const TOLD = new Set(['started', 'cloned_from', 'restored_from', 'task_state', 'snapshot']);

/** The first entry says what it is about; reasons in words are not compared. */
function tellFirst(data: Record<string, unknown>): unknown[] {
  const [first] = Object.entries(data);
  if (!first) return [];
  return TOLD.has(first[0]) ? first : [first[0]];
}

const words = (...parts: unknown[]): string => parts.map(String).join(' ');
