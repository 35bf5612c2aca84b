/** Small labels. Text of others stands in `bdi`, so that no direction mark reaches beyond it. */
import type { Tone } from './words.ts';

export const Badge = ({ tone, text, title }: { tone: Tone; text: string; title?: string | undefined }) => (
  <span class={`badge ${tone}`} title={title}>
    {text}
  </span>
);

/** Somebody else's words: a title, a branch, a subject. */
export const Foreign = ({ text, class: name }: { text: string; class?: string }) => (
  <bdi class={name} dir="auto">
    {text}
  </bdi>
);

export const Code = ({ text, title }: { text: string; title?: string }) => (
  <code title={title}>
    <bdi dir="ltr">{text}</bdi>
  </code>
);

interface WarningLike {
  code: string;
  message: string;
}

/** Stand at the top of their page: they can't be missed and don't go away by themselves. */
export const Warnings = ({ warnings }: { warnings: readonly WarningLike[] }) =>
  warnings.length === 0 ? null : (
    <ul class="warnings" aria-label="Warnings">
      {warnings.map(({ code, message }) => (
        <li key={code} class={code === 'workflow_refused' ? 'bad' : 'warn'}>
          <strong>{WARNING_TITLES[code] ?? 'Warning'}</strong>
          <span>{capital(message)}.</span>
        </li>
      ))}
    </ul>
  );

const WARNING_TITLES: Record<string, string> = {
  plain_host: 'No sandbox',
  hooks_on_host: 'Hooks on the host',
  workflow_refused: 'WORKFLOW.md refused',
  workflow_misspelt: 'Misspelt in WORKFLOW.md',
  work_on_rescue_refs: 'Work on rescue refs',
  snapshot_skipped: 'No snapshot',
  snapshots_unavailable: 'No snapshots',
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '');
