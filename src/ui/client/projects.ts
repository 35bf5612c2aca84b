/** The list of projects; on an empty service, the demo in one click. */
import { DEMO_TASKS, DEMO_WORKFLOW } from '../parts/demo-project.ts';
import { call, projectPath } from './api.ts';
import { onAction } from './dom.ts';
import { attempt } from './toast.ts';

export function start(): void {
  onAction({
    'create-demo': (button) => void offerDemo(button as HTMLButtonElement),
  });
}

async function offerDemo(button: HTMLButtonElement): Promise<void> {
  button.disabled = true;
  const made = await attempt(() => createDemo(button.dataset['repository'] ?? ''));
  button.disabled = made !== null;
}

async function createDemo(repository: string): Promise<true> {
  await call('PUT', projectPath('demo'), {
    repository: { url: repository },
    location: 'host',
    workflow: DEMO_WORKFLOW,
  });
  await Promise.all(DEMO_TASKS.map((task) => call('POST', projectPath('demo', '/dispatch'), { task })));
  location.assign('/projects/demo');
  return true;
}
