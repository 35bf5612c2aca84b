/** Dispatching a task, from wherever the page offers it. */
import type { Dispatched } from '../../core/api.ts';
import { call, projectPath, Refusal } from './api.ts';
import { ask, field } from './dialog.ts';
import { element, input } from './dom.ts';
import { attempt, toast } from './toast.ts';

interface Prefilled {
  identifier?: string;
  id?: string;
  title?: string;
}

/** null: not dispatched. */
export async function dispatchTask(project: string, prefilled: Prefilled = {}): Promise<Dispatched | null> {
  const external = element('input', { type: 'checkbox', name: 'external' });
  const answer = await ask({
    title: 'Dispatch a task',
    content: [
      element(
        'div',
        { className: 'form' },
        field('Task', 'identifier', {
          required: true,
          value: prefilled.identifier ?? '',
          placeholder: 'ABC-1',
        }),
        field('Title', 'title', { value: prefilled.title ?? '' }),
        field(
          'State',
          'state',
          { placeholder: 'as it is' },
          'Such as Todo. A terminal state, such as Done, is refused.',
        ),
        element(
          'label',
          { className: 'choice' },
          external,
          element(
            'span',
            {},
            'I run the agent myself',
            element('small', { textContent: 'The workspace is made ready, then waits for you.' }),
          ),
        ),
      ),
    ],
    buttons: [{ value: 'dispatch', text: 'Dispatch', kind: 'primary' }],
  });
  if (answer === null) return null;
  const text = (name: string) => input(answer.form, name).value.trim();
  const task = {
    identifier: text('identifier'),
    ...(prefilled.id === undefined ? {} : { id: prefilled.id }),
    ...(text('title') === '' ? {} : { title: text('title') }),
    ...(text('state') === '' ? {} : { state: text('state') }),
  };
  return attempt(() => sendDispatch(project, task, external.checked));
}

async function sendDispatch(project: string, task: object, isExternal: boolean): Promise<Dispatched | null> {
  try {
    const sent = await call<Dispatched>(
      'POST',
      projectPath(project, '/dispatch'),
      { task, ...(isExternal ? { agent: 'external' } : {}) },
      { headers: { 'idempotency-key': crypto.randomUUID() } },
    );
    toast(`${sent.workspace.task.identifier} is dispatched`);
    return sent;
  } catch (thrown) {
    // A task that is Done is opened again by saying so.
    if (thrown instanceof Refusal && thrown.problem.code === 'task_terminal')
      throw new Error(
        'The task is in a terminal state: name another one, such as "Todo", to open it again.',
        {
          cause: thrown,
        },
      );
    throw thrown;
  }
}
