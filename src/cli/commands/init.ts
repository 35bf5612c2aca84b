/** `harness init`: the manifest, and nothing else. */
import { join } from 'node:path';
import { isProvider } from '../../core/projection/capabilities.ts';
import { PROVIDERS } from '../../core/projection/events.ts';
import type { Provider } from '../../core/projection/events.ts';
import type { Result } from '../../core/result.ts';
import { err, ok } from '../../core/result.ts';
import type { Run } from '../invocation.ts';
import { parseManifest, printManifest } from '../manifest.ts';
import { done, misuse, refuse, refuseWith } from '../outcome.ts';
import type { Outcome } from '../outcome.ts';
import { MANIFEST_PATH, Repository } from '../repository.ts';
import { decodeText } from '../text-file.ts';
import { writeState } from '../write-state.ts';

export const runInit: Run = async ({ options }, io) => {
  const repository = new Repository(io.cwd, io.files);
  const flag = options['providers'];
  const present = io.files.read(join(io.cwd, MANIFEST_PATH));
  if (present !== undefined) return repeatInit(present, flag);
  const providers = parseProviders(typeof flag === 'string' ? flag : io.isTty ? await io.ask(QUESTION) : '');
  if (!providers.ok) return misuse(providers.error);
  const refusal = writeState(
    repository,
    MANIFEST_PATH,
    printManifest({ providers: providers.value, hookIds: [] }),
  );
  if (refusal !== undefined) return refuse(refusal);
  const next =
    providers.value.length === 0
      ? 'Enable a provider next: harness provider enable claude'
      : 'Add a hook next: harness add hook <hook-id>';
  return {
    ...done(`wrote    ${MANIFEST_PATH}`, next),
    data: { manifest: MANIFEST_PATH, providers: providers.value },
  };
};

const QUESTION = `Which providers? (${PROVIDERS.join(', ')}; separated by commas, empty for none) `;

const parseProviders = (text: string): Result<Provider[], string> => {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.find((name) => !isProvider(name));
  if (unknown !== undefined)
    return err(`There is no provider '${unknown}'. The providers are ${PROVIDERS.join(', ')}.`);
  return ok(PROVIDERS.filter((provider) => names.includes(provider)));
};

/** Once more with the same wish is no error; a different one must not overwrite anything. */
const repeatInit = (bytes: Uint8Array, flag: string | boolean | undefined): Outcome => {
  const manifest = parseManifest(decodeText(bytes) ?? '');
  if (!manifest.ok) return refuse(manifest.error);
  const wanted = typeof flag === 'string' ? parseProviders(flag) : ok(manifest.value.providers);
  if (!wanted.ok) return misuse(wanted.error);
  if (wanted.value.join() === manifest.value.providers.join()) {
    const data = { manifest: MANIFEST_PATH, providers: manifest.value.providers };
    return { ...done(`${MANIFEST_PATH} is there already.`), data };
  }
  const text = `${MANIFEST_PATH} is there already, with other providers. Change them with: harness provider enable|disable <provider>`;
  return refuseWith('MANIFEST_EXISTS', text);
};
