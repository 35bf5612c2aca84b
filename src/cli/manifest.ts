/** `.harness/manifest.json`: which providers are enabled and which hooks are registered. */
import { isProvider } from '../core/projection/capabilities.ts';
import { PROVIDERS } from '../core/projection/events.ts';
import type { Provider } from '../core/projection/events.ts';
import { isHookId } from '../core/projection/load-entity.ts';
import { isObject } from '../core/projection/parse-handler.ts';
import { parseJsonText, positionAt, withoutByteOrderMark } from '../core/projection/source-text.ts';
import type { Result } from '../core/result.ts';
import { err, ok } from '../core/result.ts';
import { diagnose } from './cli-diagnostic.ts';
import type { CliDiagnostic } from './cli-diagnostic.ts';
import { MANIFEST_PATH } from './repository.ts';

export interface Manifest {
  /** In the order of the provider table. */
  providers: readonly Provider[];
  /** In byte order. */
  hookIds: readonly string[];
}

export const printManifest = ({ providers, hookIds }: Manifest): string => {
  const entities = hookIds.toSorted().map((id) => ({ type: 'hook', id }));
  const enabled = PROVIDERS.filter((provider) => providers.includes(provider));
  return `${JSON.stringify({ version: 1, providers: enabled, entities }, undefined, 2)}\n`;
};

export const parseManifest = (source: string): Result<Manifest, CliDiagnostic> => {
  const text = withoutByteOrderMark(source);
  const json = parseJsonText(text);
  if (!json.ok) {
    const position = positionAt(text, json.error.offset);
    return invalid(`line ${position.line}, column ${position.column}: ${json.error.text}.`, position);
  }
  const manifest = json.value;
  if (!isObject(manifest)) return invalid('it is no JSON object.');
  if (manifest['version'] !== 1)
    return invalid(`version is ${JSON.stringify(manifest['version'])}. Write 1.`);
  const providers = readProviders(manifest['providers']);
  if (!providers.ok) return invalid(providers.error);
  const hookIds = readHookIds(manifest['entities']);
  return hookIds.ok ? ok({ providers: providers.value, hookIds: hookIds.value }) : invalid(hookIds.error);
};

const invalid = (
  text: string,
  position: { line?: number; column?: number } = {},
): Result<never, CliDiagnostic> =>
  err(
    diagnose('MANIFEST_INVALID', `${MANIFEST_PATH} is not valid: ${text}`, {
      path: MANIFEST_PATH,
      ...position,
    }),
  );

const readProviders = (value: unknown): Result<Provider[], string> => {
  if (!Array.isArray(value)) return err('providers is no list. Write ["claude"], for instance.');
  const unknown = value.find((name) => !isProvider(name)) as unknown;
  if (unknown !== undefined) {
    return err(`providers has ${JSON.stringify(unknown)}. The providers are ${PROVIDERS.join(', ')}.`);
  }
  return ok(PROVIDERS.filter((provider) => value.includes(provider)));
};

const readHookIds = (value: unknown): Result<string[], string> => {
  if (!Array.isArray(value)) return err('entities is no list. Write [] for none.');
  const ids: string[] = [];
  for (const entity of value as unknown[]) {
    if (!isObject(entity) || entity['type'] !== 'hook' || !isHookId(entity['id'])) {
      return err(`entities has ${JSON.stringify(entity)}. Write {"type": "hook", "id": "<hook-id>"}.`);
    }
    if (ids.includes(entity['id']))
      return err(`the hook '${entity['id']}' is registered twice. Keep one entry.`);
    ids.push(entity['id']);
  }
  return ok(ids.sort());
};
