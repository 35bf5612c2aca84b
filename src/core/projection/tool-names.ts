/** Matchers that name a tool in another agent's spelling: a guard that never fires, and nobody notices. */
import type { Capability } from './capabilities.ts';
import type { Findings } from './diagnostic.ts';
import type { CanonicalEvent } from './events.ts';
import type { ProviderShare } from './provider-share.ts';

const TOOL_EVENTS: ReadonlySet<CanonicalEvent> = new Set([
  'pre_tool_use',
  'permission_request',
  'post_tool_use',
  'post_tool_failure',
]);

export const warnToolNames = (share: ProviderShare, findings: Findings): void => {
  const { capability } = share.admission;
  const warnings = new Map<string, string | undefined>(); // many handlers share few matchers
  for (const from of share.contributions) {
    const matcher = from.handler.type === 'command' ? from.handler.matcher : undefined;
    if (matcher === undefined || !TOOL_EVENTS.has(from.block.event)) continue;
    if (!warnings.has(matcher)) warnings.set(matcher, warningFor(capability, matcher));
    const warning = warnings.get(matcher);
    if (warning !== undefined)
      findings.report('HOOK_MATCHER_NEVER_MATCHES', share.placeOf(from, '/matcher'), warning);
  }
};

const NAMES = /^\w+(?:\s*[|,]\s*\w+)*$/; // a list of plain names; a real expression is left to its author

/** `undefined` when the matcher hits a tool, or when nobody can tell. */
const warningFor = (capability: Capability, matcher: string): string | undefined => {
  if (!NAMES.test(matcher)) return undefined;
  const names = matcher.split(/\s*[|,]\s*/);
  if (names.some((name) => capability.toolNames.includes(name))) return undefined;
  for (const name of names) {
    const meant = ownName(capability, name);
    if (meant !== undefined) {
      return `the matcher names '${name}', but the tool of ${capability.name} is called '${meant}', so the handler never runs there. Write '${matcher}|${meant}'.`;
    }
  }
  return undefined;
};

const ownName = ({ toolNames, toolAliases }: Capability, name: string): string | undefined => {
  if (Object.hasOwn(toolAliases, name)) return toolAliases[name];
  const lower = name.toLowerCase();
  return toolNames.find((tool) => tool !== name && tool.toLowerCase() === lower);
};
