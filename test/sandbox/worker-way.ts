/** The way that the cloud goes: a Worker that hands everything on to a sandbox by its id; see contract-handler.ts. */
import { randomUUID } from 'node:crypto';
import type { Reached, Way } from './way.ts';

interface WorkerWay extends Pick<Way, 'name'>, Pick<Reached, 'ownsMachine'> {
  url: string;
}

export const workerWay = ({ name, url, ownsMachine }: WorkerWay): Way => ({
  name,
  open: async () => {
    const sandbox = `${url}/ws-${randomUUID()}`;
    return {
      fetcher: {
        fetch: (request) => {
          const { pathname, search } = new URL(request.url);
          return fetch(new Request(`${sandbox}${pathname}${search}`, request));
        },
      },
      root: null,
      home: null,
      restart: null,
      memoryBytes: null,
      ownsMachine,
      end: async () => {
        await fetch(sandbox, { method: 'DELETE' });
      },
    };
  },
});
