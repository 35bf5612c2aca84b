/** The load: a few tasks that are dispatched, cancelled, ended, re-opened, saved and deleted at random. Refusals are part of it. */
import type { ApiClient } from '../stack/api-client.ts';
import type { Random } from './random.ts';
import type { ChaosTask } from './tasks.ts';

const REFUSALS = [400, 404, 409, 422, 500, 503];

type Request = (task: ChaosTask) => [method: string, path: string, body?: unknown];

const setState =
  (state: string): Request =>
  ({ project, key }) => ['PUT', `/v1/projects/${project}/tasks/${key}/state`, { state }];

/** Each call makes one random request; a service that is down just then is no error. */
export function buildLoad(api: ApiClient, random: Random, tasks: ChaosTask[]): () => Promise<void> {
  let dispatches = 0;
  const dispatch: Request = ({ project, key }) => {
    dispatches += 1;
    const task = { identifier: key, title: `d${dispatches}`, state: 'Todo' };
    return ['POST', `/v1/projects/${project}/dispatch`, { task }];
  };
  const requests: Request[] = [
    ...Array.from({ length: 5 }, () => dispatch),
    ({ path }) => ['POST', `${path}/attempts/${random.between(1, 4)}/cancel`],
    setState('Done'),
    setState('Done'),
    setState('Todo'),
    ({ path }) => ['POST', `${path}/save`],
    ({ path }) => ['DELETE', `${path}?cancel=true`],
  ];
  return async () => {
    const [method, path, body] = random.pick(requests)(random.pick(tasks));
    await api.call(method, path, body, REFUSALS).catch(() => undefined);
  };
}
