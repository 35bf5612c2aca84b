/** Attempts, newest first: each step with how it ended and how long it took. */
import type { AttemptView } from '../../core/api.ts';
import { Badge, Code, Foreign } from './badge.tsx';
import { ago, duration } from './time.ts';
import { OUTCOME, PHASE, RUN, SAVED, shortSha, type Tone } from './words.ts';

interface Props {
  attempts: readonly AttemptView[];
  /** Whose log is shown. */
  selected: number | null;
  nowMs: number;
}

export const Timeline = ({ attempts, selected, nowMs }: Props) =>
  attempts.length === 0 ? (
    <p class="sub">Nothing has run here yet.</p>
  ) : (
    <ol class="timeline" reversed>
      {attempts.map((attempt) => (
        <li key={attempt.number} class={attempt.number === selected ? 'attempt selected' : 'attempt'}>
          <Attempt attempt={attempt} isSelected={attempt.number === selected} nowMs={nowMs} />
        </li>
      ))}
    </ol>
  );

const Attempt = ({
  attempt,
  isSelected,
  nowMs,
}: {
  attempt: AttemptView;
  isSelected: boolean;
  nowMs: number;
}) => {
  const { number, try: tryNumber, outcome, started_at: startedAt, ended_at: endedAt, failure } = attempt;
  const word = outcome === null ? { text: 'Running', tone: 'busy' as Tone } : OUTCOME[outcome];
  const lengthMs = (endedAt === null ? nowMs : Date.parse(endedAt)) - Date.parse(startedAt);
  return (
    <>
      <div class="attempt-head">
        <button
          type="button"
          class="link"
          data-action="show-log"
          data-attempt={String(number)}
          aria-pressed={isSelected ? 'true' : 'false'}
        >
          Attempt {number}
        </button>
        <Badge tone={word.tone} text={word.text} />
        <span class="sub push" title={startedAt}>
          {duration(Math.max(0, lengthMs))}
          {tryNumber > 1 && ` · try ${tryNumber}`}
        </span>
      </div>
      <ul class="runs">
        {stepsOf(attempt).map(({ name, text, tone, ms, detail }) => (
          <li key={name} class={`run ${tone}`}>
            <span class="run-name">{name}</span>
            <span class={`tone ${tone}`}>{text}</span>
            <span class="sub push">{ms === null ? '' : duration(ms)}</span>
            {detail !== null && (
              <span class="run-detail sub">
                <Foreign text={detail} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {failure !== null && (
        <p class="failure">
          <Code text={failure.code} /> <Foreign text={failure.detail} />
        </p>
      )}
      <p class="sub started">started {ago(startedAt, nowMs)}</p>
    </>
  );
};

interface Step {
  name: string;
  text: string;
  tone: Tone;
  ms: number | null;
  detail: string | null;
}

type Run = AttemptView['hooks'][number] | (NonNullable<AttemptView['agent']> & { hook: 'agent' });

function stepsOf({ hooks, agent, save, phase, outcome }: AttemptView): Step[] {
  const early = hooks.filter((run) => !isLate(run));
  const late = hooks.filter(isLate);
  const steps = [...early, ...(agent ? [{ ...agent, hook: 'agent' as const }] : []), ...late].map(stepOf);
  if (save)
    steps.push({
      name: 'save',
      text: save.sha === null ? SAVED[save.status].text.toLowerCase() : `saved at ${shortSha(save.sha)}`,
      tone: SAVED[save.status].tone,
      ms: null,
      detail: null,
    });
  if (outcome === null && phase !== null)
    steps.push({ name: phase, text: runningText(phase), tone: 'busy', ms: null, detail: null });
  return steps;
}

const isLate = ({ hook }: Run): boolean => hook === 'after_run' || hook === 'before_remove';

const runningText = (phase: NonNullable<AttemptView['phase']>): string =>
  PHASE[phase] === phase ? 'running' : PHASE[phase];

const stepOf = (run: Run): Step => ({
  name: run.hook,
  text:
    run.exit_code !== null && run.exit_code !== 0
      ? `${RUN[run.outcome].text} (exit ${run.exit_code})`
      : RUN[run.outcome].text,
  tone: RUN[run.outcome].tone,
  ms: run.outcome === 'skipped' ? null : run.duration_ms,
  detail: run.detail,
});
