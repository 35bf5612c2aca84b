/** One claimed workspace with an empty repository, and short words for what tests do in it. */
import { randomUUID } from 'node:crypto';
import { SupervisorClient, type Reply, type Target } from '../../src/sandbox/client.ts';
import type { OpenRequest, OperationView, ScriptSpec } from '../../src/sandbox/protocol.ts';
import type { Reached, Way } from './way.ts';

export interface Session {
  readonly reached: Reached;
  readonly client: SupervisorClient;
  readonly target: Target;
}

export const newId = (): string => randomUUID();

export const buildOpen = (reached: Reached, more: Partial<OpenRequest> = {}): OpenRequest => ({
  project: 'demo',
  key: 'ABC-1',
  creation_id: newId(),
  claim: true,
  root: reached.root,
  directory: null,
  workflow: null,
  ...more,
});

/** An answer's value; anything else fails the test with what came instead. */
export function answered<T>(reply: Reply<T>): T {
  if (reply.kind === 'answer') return reply.value;
  throw new Error(JSON.stringify(reply));
}

/** The code of a refusal. */
export function refusal(reply: Reply<unknown>): string {
  if (reply.kind === 'refused') return reply.error.code;
  throw new Error(`not refused: ${JSON.stringify(reply).slice(0, 500)}`);
}

export async function openSession(way: Way, more: Partial<OpenRequest> = {}): Promise<Session> {
  const reached = await way.open();
  const client = new SupervisorClient(reached.fetcher);
  const request = buildOpen(reached, more);
  const opened = answered(await client.open(request));
  const session = {
    reached,
    client,
    target: { creationId: request.creation_id, directory: opened.directory },
  };
  await clone(session);
  return session;
}

export async function clone({ client, target }: Session): Promise<OperationView> {
  const spec = {
    id: newId(),
    kind: 'clone',
    wait_ms: 20_000,
    timeout_ms: 20_000,
    remote: null,
    branch: 'symphony/ABC-1',
    base_branch: null,
    depth: null,
    user: { name: 'Test', email: 'test@localhost' },
  } as const;
  return answered(await client.start(target, spec));
}

export const buildScript = (script: string, more: Partial<ScriptSpec> = {}): ScriptSpec => ({
  id: newId(),
  kind: 'script',
  wait_ms: 30_000,
  timeout_ms: 60_000,
  role: 'hook',
  script,
  env: {},
  unset: [],
  leftovers: 'keep',
  confinement: { kind: 'none' },
  ...more,
});

/** Runs a script to its end. */
export async function run(
  { client, target }: Session,
  script: string,
  more: Partial<ScriptSpec> = {},
): Promise<OperationView> {
  const spec = buildScript(script, more);
  const started = answered(await client.start(target, spec));
  return started.state === 'ended' ? started : waitForEnd({ client, target }, spec.id);
}

export async function waitForEnd(
  { client, target }: Pick<Session, 'client' | 'target'>,
  id: string,
): Promise<OperationView> {
  for (let polls = 0; polls < 10; polls += 1) {
    const view = answered(await client.poll(target, id, { waitMs: 20_000 }, { retry: 'once' }));
    if (view.state === 'ended') return view;
  }
  throw new Error(`${id} does not end`);
}

/** Starts a script and leaves it running. */
export async function start(
  { client, target }: Session,
  script: string,
  more: Partial<ScriptSpec> = {},
): Promise<string> {
  const spec = buildScript(script, { wait_ms: 0, ...more });
  answered(await client.start(target, spec));
  return spec.id;
}

/** Until the script has printed this. */
export async function waitForText({ client, target }: Session, id: string, text: string): Promise<void> {
  for (let offset = 0, seen = ''; !seen.includes(text);) {
    const query = { waitMs: 10_000, stdoutOffset: offset, output: 'none' } as const;
    const view = answered(await client.poll(target, id, query));
    seen += view.chunks?.stdout.text ?? '';
    offset = view.chunks?.stdout.next ?? offset;
    if (view.state === 'ended' && !seen.includes(text)) throw new Error(`ended without ${text}: ${seen}`);
  }
}

/** How many processes have this in their command line. Asked of the machine that the scripts run on. */
export async function countProcesses(session: Session, text: string): Promise<number> {
  const counted = await run(
    session,
    `count=0
     for file in /proc/[0-9]*/cmdline; do
       # Without a process of its own for each, and one that goes away while we look is none.
       mapfile -d '' -t words 2>/dev/null <"$file" || continue
       line=\${words[*]}
       case $line in *LOOK_FOR*) ;; *"$LOOK_FOR"*) count=$((count + 1)) ;; esac
     done 2>/dev/null
     echo "$count"`,
    { env: { LOOK_FOR: text } },
  );
  return Number(counted.stdout.text);
}

let lastNap = 40_000;

/** `sleep` arguments that no other test uses, so that its processes can be found by them. */
export const newNap = (): string => {
  lastNap += 1;
  return `${lastNap}.${process.pid}`;
};
