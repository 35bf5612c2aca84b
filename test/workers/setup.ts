/** Real processes beside workerd: a sandbox host, the container engine of the SDK double, and a git server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startSandboxHost } from '../../scripts/stack/sandbox-host.ts';
import { startContainerEngine } from '../support/container-engine.ts';
import { startGitControl } from '../support/git-control.ts';
import { findLeftovers } from '../support/leftovers.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-harness-workers-'));
  const root = join(folder, 'workspaces');
  const [host, engine, git] = await Promise.all([
    startSandboxHost({ roots: [root], stateDirectory: join(folder, 'host'), hidden: [], home: folder }),
    startContainerEngine(),
    startGitControl(),
  ]);
  project.provide('sandboxHostUrl', host.url);
  project.provide('sandboxHostToken', host.token);
  project.provide('containerEngineUrl', engine.url);
  project.provide('gitControlUrl', git.url);
  project.provide('workspaceRoot', root);
  return async () => {
    await Promise.all([host.stop(), engine.stop(), git.stop()]);
    const left = await findLeftovers(folder);
    rmSync(folder, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`processes are left: ${left.join('; ')}`);
  };
}
