/** The wire model of the projection routes; what it holds is checked by src/core/projection, whose findings are an answer. */
import * as z from 'zod';
import { DiagnosticView } from '../core/api.ts';
import { CANONICAL_EVENTS, PROVIDERS } from '../core/projection/events.ts';
import { OPTIONAL_FIELDS } from '../core/projection/provider-facts.ts';

const Provider = z.enum(PROVIDERS);
const CanonicalEvent = z.enum(CANONICAL_EVENTS);
const names = z.array(z.string());

/** Anything may stand in `document` and `overrides`: a fault there is a diagnostic with its place, not a refusal. */
export const HookEntity = z
  .strictObject({
    id: z.string(),
    document: z.unknown().optional().meta({ description: 'The canonical hook as JSON.' }),
    source: z
      .string()
      .optional()
      .meta({ description: 'Its text instead: diagnostics then carry line and column.' }),
    overrides: z.unknown().optional().meta({
      description: 'Provider → `{version: 1, targetPath?, enabled?}`, as an object or as YAML text.',
    }),
  })
  .refine((entity) => 'document' in entity !== 'source' in entity, {
    error: 'must have either `document` or `source`',
  });

export const ProjectionRequest = z.strictObject({
  entities: z.array(HookEntity),
  providers: z.array(z.string()),
});

export const ValidationRequest = z
  .strictObject({
    entities: z.array(HookEntity).optional(),
    workflow: z.string().optional().meta({ description: 'The text of a WORKFLOW.md.' }),
  })
  .refine((input) => 'entities' in input !== 'workflow' in input, {
    error: 'must have either `entities` or `workflow`',
  });

export const HookDiagnosticView = DiagnosticView.extend({
  entityId: z.string().optional(),
  provider: Provider.optional(),
  event: z.string().optional(),
  handler: z.number().int().optional(),
  pointer: z.string().optional().meta({ description: 'JSON Pointer to the value at fault.' }),
});

export const ProjectionAnswer = z.object({
  ok: z.boolean(),
  files: z.array(
    z.object({
      path: z.string(),
      provider: Provider,
      format: z.enum(['json', 'toml']),
      content: z.string(),
      entityIds: names,
    }),
  ),
  skipped: z.array(
    z.object({
      entityId: z.string(),
      provider: Provider,
      event: CanonicalEvent,
      handler: z.number().int(),
      why: z.string(),
    }),
  ),
  diagnostics: z.array(HookDiagnosticView),
});

export const ValidationAnswer = z.object({ ok: z.boolean(), diagnostics: z.array(HookDiagnosticView) });

export const ProviderCapability = z.object({
  provider: Provider,
  name: z.string(),
  output: z.object({
    path: z.string(),
    format: z.enum(['json', 'toml']),
    key: z.string(),
    shared: z.boolean(),
  }),
  sharedPaths: names,
  handlerTypes: z.array(z.enum(['command', 'notify'])),
  matcherEvents: z.array(CanonicalEvent),
  matcherNote: z.string(),
  toolNames: names,
  toolAliases: z.record(z.string(), z.string()),
  fields: z.record(z.enum(OPTIONAL_FIELDS), z.enum(['used', 'ignored', 'refused'])),
  handlerKeys: names,
  commandOrder: z.string(),
  blocking: z.object({
    events: names,
    exitCodes: z.array(z.object({ code: z.string(), meaning: z.string() })),
  }),
  locations: z.array(z.object({ scope: z.string(), path: z.string(), note: z.string().optional() })),
  priority: z.string(),
  nativeOnlyEvents: names,
  docs: names,
  notes: names,
  events: z.array(z.object({ event: CanonicalEvent, native: z.string(), matcher: z.boolean() })),
});
