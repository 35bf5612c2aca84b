/** Commands that name a script of the repository which is not there. Only what is certain: false alarms teach people to look away. */
import { Findings } from '../core/projection/diagnostic.ts';
import { loadEntities } from '../core/projection/load-entity.ts';
import type { CommandHandler, Handler } from '../core/projection/model.ts';
import { diagnose } from './cli-diagnostic.ts';
import type { CliDiagnostic } from './cli-diagnostic.ts';
import { sourcePath } from './repository.ts';
import { loadSources } from './sources.ts';
import type { Opened } from './workspace-state.ts';

export const missingScripts = ({ repository, manifest }: Opened): CliDiagnostic[] => {
  const hooks = loadEntities(loadSources(repository, manifest.hookIds).entities, new Findings());
  const deniesAll = manifest.providers.includes('copilot');
  const diagnostics: CliDiagnostic[] = [];
  for (const { id, events } of hooks) {
    for (const { event, handlers } of events) {
      for (const handler of handlers) {
        const missing = scriptsOf(handler).find((script) => !repository.has(script));
        if (missing === undefined) continue;
        const danger =
          deniesAll && event === 'pre_tool_use' ? ' Until then, Copilot denies every tool call.' : '';
        const text = `Hook '${id}', event '${event}', handler #${handler.index + 1}: the script ${missing} does not exist. Add it.${danger}`;
        diagnostics.push(diagnose('HOOK_SCRIPT_MISSING', text, { path: sourcePath(id), entityId: id }));
      }
    }
  }
  return diagnostics;
};

const scriptsOf = (handler: Handler): string[] => {
  const texts = handler.type === 'notify' ? [handler.argv.join(' ')] : commandsOf(handler);
  return texts.map(scriptIn).filter((script) => script !== undefined);
};

const commandsOf = ({ shell, bash, cwd }: CommandHandler): string[] =>
  cwd === undefined || cwd === '.' ? [shell, bash ?? shell] : [];

const INTERPRETERS: ReadonlySet<string> = new Set([
  'node',
  'python',
  'python3',
  'bash',
  'sh',
  'ruby',
  'perl',
  'deno',
  'bun',
]);

const PLAIN_PATH = /^(?:\.\/)?(?:[\w.-]+\/)*[\w.-]+\.(?:js|mjs|cjs|ts|py|sh|rb|pl)$/;

/** The script of `node scripts/x.js …` or `./scripts/x.sh …`; nothing when a variable, a quote or an option is in the way. */
const scriptIn = (command: string): string | undefined => {
  const [first = '', second = ''] = command.split(/\s+/);
  const word = INTERPRETERS.has(first) ? second : first.startsWith('./') ? first : '';
  if (!PLAIN_PATH.test(word) || word.split('/').includes('..')) return undefined;
  return word.replace(/^\.\//, '');
};
