/** Whether an agent would accept a whole configuration file: one bad entry voids a Claude or Cursor file in silence. */
import { CAPABILITIES } from '../core/projection/capabilities.ts';
import { isObject } from '../core/projection/parse-handler.ts';

type Fault = string | undefined;

/** `root` is the parsed file. The answer names the entry and what is wrong with it. */
export const checkNative = (provider: 'claude' | 'cursor', root: unknown): Fault => {
  if (!isObject(root)) return 'the file is no JSON object';
  return provider === 'claude' ? checkClaude(root['hooks']) : checkCursor(root);
};

const firstFault = <T>(items: readonly T[], check: (item: T, place: number) => Fault): Fault => {
  for (const [place, item] of items.entries()) {
    const fault = check(item, place);
    if (fault !== undefined) return fault;
  }
  return undefined;
};

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

const isTimeout = (value: unknown): boolean =>
  value === undefined || (typeof value === 'number' && value > 0);

/** Claude drops a bad entry alone, but for these two events it drops the whole file. */
const FRAGILE_CLAUDE_EVENTS = ['PreToolUse', 'PermissionRequest'];

const checkClaude = (hooks: unknown): Fault => {
  if (!isObject(hooks)) return hooks === undefined ? undefined : 'hooks is no object';
  return firstFault(FRAGILE_CLAUDE_EVENTS, (event) => {
    const groups = hooks[event];
    if (groups === undefined) return undefined;
    if (!Array.isArray(groups)) return `hooks.${event} is no list`;
    return firstFault(groups as unknown[], (group, place) => checkGroup(`hooks.${event}[${place}]`, group));
  });
};

const checkGroup = (where: string, group: unknown): Fault => {
  if (!isObject(group)) return `${where} is no object`;
  const { matcher, hooks } = group;
  if (matcher !== undefined && typeof matcher !== 'string') return `${where}.matcher is no string`;
  if (!Array.isArray(hooks)) return `${where}.hooks is no list`;
  return firstFault(hooks as unknown[], (handler, place) =>
    checkHandler(`${where}.hooks[${place}]`, handler),
  );
};

/** The field that each type of handler can't do without. */
const CLAUDE_HANDLERS: Readonly<Record<string, string>> = {
  command: 'command',
  prompt: 'prompt',
  agent: 'prompt',
  http: 'url',
  mcp_tool: 'tool',
};

const checkHandler = (where: string, handler: unknown): Fault => {
  if (!isObject(handler)) return `${where} is no object`;
  const type = handler['type'];
  const field =
    typeof type === 'string' && Object.hasOwn(CLAUDE_HANDLERS, type) ? CLAUDE_HANDLERS[type] : undefined;
  if (field === undefined) return `${where}.type is none of ${Object.keys(CLAUDE_HANDLERS).join(', ')}`;
  if (typeof handler[field] !== 'string') return `${where}.${field} is missing`;
  return isTimeout(handler['timeout']) ? undefined : `${where}.timeout is no number above 0`;
};

/** Newer than the seed's list; Cursor itself accepts it. */
const LATER_CURSOR_EVENTS = ['workspaceOpen'];

const CURSOR_EVENTS: ReadonlySet<string> = new Set(
  CAPABILITIES.filter(({ provider }) => provider === 'cursor').flatMap(({ events, nativeOnlyEvents }) => [
    ...events.map(({ native }) => native),
    ...nativeOnlyEvents,
    ...LATER_CURSOR_EVENTS,
  ]),
);

const checkCursor = (root: Readonly<Record<string, unknown>>): Fault => {
  const { version, hooks } = root;
  if (!Number.isInteger(version) || (version as number) < 1) return 'version is no whole number above 0';
  if (!isObject(hooks)) return hooks === undefined ? undefined : 'hooks is no object';
  return firstFault(Object.keys(hooks), (event) => {
    const entries = hooks[event];
    if (!CURSOR_EVENTS.has(event)) return `hooks.${event} is no event of Cursor`;
    if (!Array.isArray(entries)) return `hooks.${event} is no list`;
    return firstFault(entries as unknown[], (entry, place) => checkScript(`hooks.${event}[${place}]`, entry));
  });
};

const checkScript = (where: string, entry: unknown): Fault => {
  if (!isObject(entry)) return `${where} is no object`;
  const field = entry['type'] === 'prompt' ? 'prompt' : 'command';
  if (!isText(entry[field])) return `${where}.${field} is missing`;
  if (!isTimeout(entry['timeout'])) return `${where}.timeout is no number above 0`;
  if (!isMatcher(entry['matcher'])) return `${where}.matcher is no regular expression`;
  if (!isLoopLimit(entry['loop_limit'])) return `${where}.loop_limit is no whole number above 0`;
  const { failClosed } = entry;
  return failClosed === undefined || typeof failClosed === 'boolean'
    ? undefined
    : `${where}.failClosed is not true or false`;
};

const isLoopLimit = (value: unknown): boolean =>
  value === undefined || value === null || (Number.isInteger(value) && (value as number) > 0);

const isMatcher = (value: unknown): boolean => {
  if (value === undefined || value === '*') return true;
  try {
    return typeof value === 'string' && new RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
};
