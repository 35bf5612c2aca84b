/** Matchers that name a tool in another agent's spelling: a guard that never fires, and nobody notices. */
import type { Capability } from './capabilities.ts';
import type { CanonicalEvent } from './events.ts';

const TOOL_EVENTS: ReadonlySet<CanonicalEvent> = new Set([
  'pre_tool_use',
  'permission_request',
  'post_tool_use',
  'post_tool_failure',
]);

const NAMES = /^\w+(?:\s*[|,]\s*\w+)*$/; // a list of plain names; a real expression is left to its author

export const toolNameWarning = (
  capability: Capability,
  event: CanonicalEvent,
  matcher: string,
): string | undefined => {
  if (!TOOL_EVENTS.has(event) || !NAMES.test(matcher)) return undefined;
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
