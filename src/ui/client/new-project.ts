/** The wizard: answers write the WORKFLOW.md until somebody changes it by hand. */
import { buildWorkflow } from '../parts/workflow-template.ts';
import { call, projectPath, Refusal } from './api.ts';
import { createCheckedEditor } from './checked-editor.ts';
import { byId, chosen, debounce, input } from './dom.ts';
import { messageOf } from './toast.ts';
import { checkWorkflow } from './workflow-check.ts';

export async function start(): Promise<void> {
  const form = byId<HTMLFormElement>('new-project');
  let isOwn = false;
  const editor = await createCheckedEditor({
    id: 'workflow-editor',
    problems: 'workflow-problems',
    text: written(form),
    check: checkWorkflow,
    onEdit: () => {
      isOwn = true;
      byId('workflow-note').textContent = 'Changed by hand: your answers no longer write into it.';
    },
  });
  const rewrite = debounce(120, () => {
    if (isOwn) return;
    editor.setText(written(form));
    void editor.check();
  });
  form.addEventListener('input', (event) => {
    if (event.target instanceof HTMLInputElement) rewrite();
  });
  // What was typed while the editor was loading.
  rewrite();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    // An answer may be younger than what the editor shows.
    void create(form, isOwn ? editor.text() : written(form)).catch((thrown: unknown) => {
      byId('form-error').textContent = messageOf(thrown);
      if (thrown instanceof Refusal && thrown.problem.diagnostics) editor.show(thrown.problem.diagnostics);
    });
  });
}

const written = (form: HTMLFormElement): string =>
  buildWorkflow({
    id: input(form, 'id').value.trim(),
    location: chosen(form, 'location'),
    setup: input(form, 'setup').value.trim(),
    agent: input(form, 'agent').value.trim(),
  });

async function create(form: HTMLFormElement, workflow: string): Promise<void> {
  byId('form-error').textContent = '';
  const id = input(form, 'id').value.trim();
  if (await exists(id)) throw new Error(`There is a project ${id} already: choose another name.`);
  await call('PUT', projectPath(id), { ...placeOf(form), workflow });
  location.assign(`/projects/${id}`);
}

async function exists(id: string): Promise<boolean> {
  try {
    await call('GET', projectPath(id));
    return true;
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.status === 404) return false;
    throw thrown;
  }
}

/** Repository and location, as the wizard and the settings ask for them. */
export function placeOf(form: HTMLFormElement): Record<string, unknown> {
  const url = input(form, 'url').value.trim();
  const branch = input(form, 'base_branch').value.trim();
  const place = chosen(form, 'location');
  const isolation = form.elements.namedItem('isolation') as HTMLInputElement | null;
  return {
    ...(url === '' ? {} : { repository: { url, ...(branch === '' ? {} : { base_branch: branch }) } }),
    ...(place === '' ? {} : { location: place }),
    ...(isolation?.checked && place === 'host' ? { isolation: 'bubblewrap' } : {}),
  };
}
