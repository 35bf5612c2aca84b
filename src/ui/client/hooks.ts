/** The playground: the service projects what is written, as often as it changes. */
import type { Diagnostic } from './api.ts';
import { call } from './api.ts';
import { createCheckedEditor } from './checked-editor.ts';
import { byId, element } from './dom.ts';

interface Projection {
  ok: boolean;
  files: { path: string; provider: string; content: string }[];
  skipped: { entityId: string; provider: string; event: string; why: string }[];
  diagnostics: Diagnostic[];
}

const EXAMPLE = `{
  "mode": "best_effort",
  "events": {
    "pre_tool_use": [
      {
        "type": "command",
        "matcher": "Bash|Shell",
        "command": "./scripts/guard.sh",
        "timeoutSec": 30
      }
    ],
    "stop": [{ "type": "command", "command": "npm test --silent" }],
    "turn_complete": [{ "type": "notify", "command": ["notify-send", "Codex is done"] }]
  }
}
`;

export async function start(): Promise<void> {
  const editor = await createCheckedEditor({
    id: 'source-editor',
    problems: 'source-problems',
    text: EXAMPLE,
    check: projectSource,
  });
  byId('providers').addEventListener('change', () => void editor.check());
  byId('hook-id').addEventListener('input', () => void editor.check());
}

async function projectSource(source: string): Promise<Diagnostic[]> {
  const providers = [...document.querySelectorAll<HTMLInputElement>('input[name=provider]:checked')].map(
    ({ value }) => value,
  );
  if (providers.length === 0) {
    byId('native').replaceChildren(element('p', { className: 'sub', textContent: 'Choose an agent.' }));
    return [];
  }
  const id = byId<HTMLInputElement>('hook-id').value || 'hook';
  const projected = await call<Projection>('POST', '/v1/projection', {
    entities: [{ id, source }],
    providers,
  });
  show(projected);
  return projected.diagnostics;
}

function show({ ok, files, skipped }: Projection): void {
  const parts: Node[] = files.map(({ path, provider, content }) =>
    element(
      'figure',
      {},
      element(
        'figcaption',
        {},
        element('code', { textContent: path }),
        element('span', { className: 'sub push', textContent: provider }),
      ),
      withFocus(element('pre', {}, element('code', { textContent: content }))),
    ),
  );
  if (!ok)
    parts.unshift(
      element('p', {
        className: 'notice bad',
        textContent:
          'No files: an error in the source stops all of them, so that nobody writes half a result.',
      }),
    );
  else if (files.length === 0)
    parts.push(element('p', { className: 'sub', textContent: 'Nothing to write.' }));
  if (skipped.length > 0) parts.push(element('h3', { textContent: 'Skipped' }), skippedList(skipped));
  byId('native').replaceChildren(...parts);
}

/** What scrolls can be reached with the keyboard. */
function withFocus(scrolling: HTMLElement): HTMLElement {
  scrolling.tabIndex = 0;
  return scrolling;
}

const skippedList = (skipped: Projection['skipped']): HTMLElement =>
  element(
    'ul',
    { className: 'skipped' },
    ...skipped.map((entry) =>
      element(
        'li',
        {},
        element('code', { textContent: entry.event }),
        ` for ${entry.provider}: ${entry.why}`,
      ),
    ),
  );
