/** `harness provider enable|disable`: the list in the manifest. What the provider's files hold changes with the next apply. */
import { isProvider } from '../../core/projection/capabilities.ts';
import { PROVIDERS } from '../../core/projection/events.ts';
import type { Provider } from '../../core/projection/events.ts';
import type { Run } from '../invocation.ts';
import { printManifest } from '../manifest.ts';
import { done, misuse, refuse } from '../outcome.ts';
import { MANIFEST_PATH } from '../repository.ts';
import { openRepository } from '../workspace-state.ts';
import { writeState } from '../write-state.ts';

const change =
  (words: string, apply: (enabled: readonly Provider[], provider: Provider) => Provider[]): Run =>
  ({ names }, io) => {
    const [provider] = names;
    if (!isProvider(provider)) {
      return misuse(`There is no provider '${provider}'. The providers are ${PROVIDERS.join(', ')}.`);
    }
    const opened = openRepository(io);
    if (!opened.ok) return refuse(opened.error);
    const { repository, manifest } = opened.value;
    const providers = PROVIDERS.filter((name) => apply(manifest.providers, provider).includes(name));
    const data = { providers };
    if (providers.join() === manifest.providers.join())
      return { ...done(`${provider} is ${words} already.`), data };
    const refusal = writeState(repository, MANIFEST_PATH, printManifest({ ...manifest, providers }));
    if (refusal !== undefined) return refuse(refusal);
    return { ...done(`${provider} is ${words}. Run harness apply to bring its files up to date.`), data };
  };

export const runEnable = change('enabled', (enabled, provider) => [...enabled, provider]);

export const runDisable = change('disabled', (enabled, provider) =>
  enabled.filter((name) => name !== provider),
);
