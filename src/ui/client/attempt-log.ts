/** The log of one attempt: what is kept of the runs that ended, and the output of the one that runs. */
import type { AttemptView } from '../../core/api.ts';
import { duration } from '../parts/time.ts';
import { RUN } from '../parts/words.ts';
import { call } from './api.ts';
import { LogSection } from './log-model.ts';
import type { LogView } from './log-view.ts';

export interface OutputEvent {
  attempt: number | null;
  hook: string;
  operation: string;
  stream: 'stdout' | 'stderr';
  text: string;
  missing_bytes: number;
}

export interface HookEvent {
  attempt?: number | null;
  hook: string;
  outcome: AttemptView['hooks'][number]['outcome'];
  exit_code?: number | null;
  duration_ms?: number;
}

type Run = AttemptView['hooks'][number] | NonNullable<AttemptView['agent']>;

/** Characters; a log that is longer is loaded from what the service keeps. */
const MAX_HEARD = 4 * 1024 * 1024;
/** The last words of a run may come after its end. */
const SETTLE_MS = 1_500;

export class AttemptLog {
  readonly #view: LogView;
  readonly #path: string;
  #number: number | null = null;
  /** Sections of runs that are read along, by operation. */
  #live = new Map<string, LogSection>();
  /** What was read along since the connection began: another attempt may be looked at meanwhile. */
  #heard: OutputEvent[] = [];
  #heardLength = 0;
  /** Runs of this attempt that have ended; their last words may still come. */
  readonly #ended = new Map<string, HookEvent>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: LogView, path: string) {
    this.#view = view;
    this.#path = path;
  }

  get number(): number | null {
    return this.#number;
  }

  async show(number: number): Promise<void> {
    this.#number = number;
    this.#live.clear();
    this.#ended.clear();
    this.#view.model.sections = [];
    this.#view.setTitle(`Log of attempt ${number}`, 'Nothing was written yet.');
    for (const event of this.#heard) this.#add(event);
    await this.reload();
  }

  /** What is kept of ended runs; lines that were read along stay, they are in the order they came in. */
  async reload(): Promise<void> {
    const number = this.#number;
    if (number === null) return;
    const attempt = await call<AttemptView>('GET', `${this.#path}/attempts/${number}`);
    if (this.#number !== number) return;
    const sections = runsOf(attempt).map(([name, run]) => this.#sectionOf(name, run));
    const running = this.#view.model.sections.filter(
      (section) => !sections.includes(section) && !sections.some(({ id }) => id === section.id),
    );
    this.#view.model.sections = [...sections, ...running];
    this.#view.refresh();
  }

  #sectionOf(name: string, run: Run): LogSection {
    const existing = this.#view.model.section(name);
    const section = existing ?? new LogSection(name, '', 'quiet');
    section.setTitle(titleOf(name, run), RUN[run.outcome].tone);
    if (section.isEmpty) {
      section.append('stdout', run.stdout?.text ?? '');
      section.append('stderr', run.stderr?.text ?? '');
    }
    return section;
  }

  /** After a new connection the output of what runs starts over; what has ended is asked for. */
  async restart(): Promise<void> {
    this.#heard = [];
    this.#heardLength = 0;
    for (const section of this.#live.values()) section.clear();
    this.#live.clear();
    await this.reload();
  }

  takeOutput(event: OutputEvent): void {
    this.#heard.push(event);
    this.#heardLength += event.text.length;
    while (this.#heardLength > MAX_HEARD) this.#heardLength -= this.#heard.shift()?.text.length ?? 0;
    this.#add(event);
  }

  #add(event: OutputEvent): void {
    if (event.attempt !== this.#number && (event.attempt !== null || this.#number === null)) return;
    const section = this.#live.get(event.operation) ?? this.#begin(event);
    if (event.missing_bytes > 0) section.addGap(event.missing_bytes);
    section.append(event.stream, event.text);
    this.#view.refresh();
  }

  #begin({ hook, operation }: OutputEvent): LogSection {
    const existing = this.#view.model.section(hook);
    // What was loaded is kept output of the same run; reading along shows it in its own order.
    existing?.clear();
    const section = existing ?? new LogSection(hook, `${hook} · running`, 'busy');
    const ended = this.#ended.get(hook);
    if (ended) section.setTitle(titleOf(hook, ended), RUN[ended.outcome].tone);
    if (!existing) this.#view.model.sections.push(section);
    this.#live.set(operation, section);
    return section;
  }

  takeHook(event: HookEvent): void {
    if (event.attempt !== this.#number && event.attempt !== undefined && event.attempt !== null) return;
    this.#ended.set(event.hook, event);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.reload().catch(() => undefined), SETTLE_MS);
    const section = this.#view.model.section(event.hook);
    section?.setTitle(titleOf(event.hook, event), RUN[event.outcome].tone);
    this.#view.refresh();
  }
}

function runsOf({ hooks, agent }: AttemptView): [name: string, run: Run][] {
  return [
    ...hooks.filter((run) => !isLate(run)).map(named),
    ...(agent ? [['agent', agent] as [string, Run]] : []),
    ...hooks.filter(isLate).map(named),
  ];
}

const isLate = ({ hook }: { hook: string }): boolean => hook === 'after_run' || hook === 'before_remove';
const named = (run: AttemptView['hooks'][number]): [name: string, run: Run] => [run.hook, run];

function titleOf(
  name: string,
  run: {
    outcome: HookEvent['outcome'];
    exit_code?: number | null;
    duration_ms?: number;
    detail?: string | null;
  },
): string {
  const exit =
    run.exit_code !== null && run.exit_code !== undefined && run.exit_code !== 0
      ? ` (exit ${run.exit_code})`
      : '';
  const length =
    run.duration_ms === undefined || run.outcome === 'skipped' ? '' : ` · ${duration(run.duration_ms)}`;
  const detail = run.detail ? ` · ${run.detail}` : '';
  return `${name} · ${RUN[run.outcome].text}${exit}${length}${detail}`;
}
