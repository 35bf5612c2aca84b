/** A project's settings: each card saves by itself. */
import type { ProjectView } from '../../core/api.ts';
import { call, projectPath, Refusal, request } from './api.ts';
import { createCheckedEditor } from './checked-editor.ts';
import { ask } from './dialog.ts';
import { byId, element, input, onAction, pageData } from './dom.ts';
import { placeOf } from './new-project.ts';
import { attempt, messageOf, toast } from './toast.ts';
import { checkWorkflow } from './workflow-check.ts';

const project = pageData('project');
const textOf = (id: string): string => byId<HTMLTextAreaElement>(id).value;

export async function start(): Promise<void> {
  bindForms();
  onAction({
    'drop-name': (button) =>
      void saveAndReload('environment', () => setNames({ [button.dataset['name'] ?? '']: null })),
    'drop-credential': () =>
      void saveAndReload('credential', () => request('DELETE', projectPath(project, '/credential'))),
    'delete-project': () => void attempt(deleteProject),
    'load-refused': () => load('workflow-refused'),
    'load-in-force': () => load('workflow-in-force'),
    'save-workflow': () => void save(),
  });
  const refused = textOf('workflow-refused').replace(/^\n/, '');
  const editor = await createCheckedEditor({
    id: 'workflow-editor',
    problems: 'workflow-problems',
    text: refused === '' ? textOf('workflow-in-force') : refused,
    check: checkWorkflow,
    onSave: () => void save(),
  });
  const load = (id: string) => {
    editor.setText(textOf(id));
    void editor.check();
  };
  const save = async () => {
    try {
      await request('PUT', projectPath(project, '/workflow'), editor.text(), { type: 'text/markdown' });
      toast('WORKFLOW.md is in force');
      document.getElementById('refused')?.remove();
      document.querySelector('.warnings .bad')?.remove();
      byId<HTMLTextAreaElement>('workflow-in-force').value = editor.text();
      editor.show([]);
    } catch (thrown) {
      toast(messageOf(thrown), 'bad');
      if (thrown instanceof Refusal && thrown.problem.diagnostics) editor.show(thrown.problem.diagnostics);
    }
  };
}

function bindForms(): void {
  bind('place', (form) => call<ProjectView>('PUT', projectPath(project), placeOf(form)));
  bind('environment', (form) =>
    setNames({
      [input(form, 'name').value]: input(form, 'secret').checked
        ? { value: input(form, 'value').value, secret: true }
        : input(form, 'value').value,
    }),
  );
  bind('credential', (form) =>
    request('PUT', projectPath(project, '/credential'), { kind: 'token', token: input(form, 'token').value }),
  );
}

function bind(id: string, save: (form: HTMLFormElement) => Promise<unknown>): void {
  const form = byId<HTMLFormElement>(id);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void saveAndReload(id, () => save(form));
  });
}

/** The page shows what is stored, so it is asked for anew. */
async function saveAndReload(id: string, save: () => Promise<unknown>): Promise<void> {
  const error = byId(`${id}-error`);
  error.textContent = '';
  try {
    await save();
    location.reload();
  } catch (thrown) {
    error.textContent = messageOf(thrown);
  }
}

const setNames = (patch: Record<string, unknown>): Promise<unknown> =>
  call('PUT', projectPath(project, '/environment'), patch);

async function deleteProject(): Promise<void> {
  const answer = await ask({
    title: `Delete ${project}?`,
    content: [
      element('p', {
        textContent: 'Its settings, environment and credential go. Branches in the repository stay.',
      }),
    ],
    buttons: [{ value: 'delete', text: 'Delete the project', kind: 'danger solid' }],
  });
  if (answer === null) return;
  await request('DELETE', projectPath(project));
  location.assign('/');
}
