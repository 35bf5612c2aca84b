/** The load: a few tasks that are dispatched, cancelled, ended, re-opened, saved and deleted at random. Refusals are part of it. */
import { ApiClient } from '../stack/api-client.ts';
import type { Random } from './random.ts';

export interface Load {
  /** One random request; a service that is down just then is no error. */
  act(): Promise<void>;
  keys: string[];
}

const REFUSALS = [400, 404, 409, 422, 500, 503];

export function buildLoad(api: ApiClient, random: Random, tasks: number): Load {
  const keys = Array.from({ length: tasks }, (_, index) => `T-${index + 1}`);
  const base = '/v1/projects/chaos';
  let dispatches = 0;
  const requests: ((key: string) => [string, string, unknown?])[] = [
    ...Array.from({ length: 5 }, () => (key: string): [string, string, unknown] => {
      dispatches += 1;
      return [
        'POST',
        `${base}/dispatch`,
        { task: { identifier: key, title: `d${dispatches}`, state: 'Todo' } },
      ];
    }),
    (key) => ['POST', `${base}/workspaces/${key}/attempts/${random.between(1, 4)}/cancel`],
    (key) => ['PUT', `${base}/tasks/${key}/state`, { state: 'Done' }],
    (key) => ['PUT', `${base}/tasks/${key}/state`, { state: 'Todo' }],
    (key) => ['POST', `${base}/workspaces/${key}/save`],
    (key) => ['DELETE', `${base}/workspaces/${key}?cancel=true`],
  ];
  return {
    keys,
    act: async () => {
      const [method, path, body] = random.pick(requests)(random.pick(keys));
      await api.call(method, path, body, REFUSALS).catch(() => undefined);
    },
  };
}
