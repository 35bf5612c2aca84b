/** What every supervisor does, whichever way it is reached: the whole suite for one way. */
import { describe } from 'vitest';
import { describeEndings } from './contract/endings.ts';
import { describeEnvironment } from './contract/environment.ts';
import { describeFiles } from './contract/files.ts';
import { describeIdentity } from './contract/identity.ts';
import { describeLeftovers } from './contract/leftovers.ts';
import { describeOperations } from './contract/operations.ts';
import { describeOutput } from './contract/output.ts';
import { describeRestarts } from './contract/restarts.ts';
import { describeShell } from './contract/shell.ts';
import type { Way } from './way.ts';

export function describeContract(way: Way): void {
  describe(`through ${way.name}`, () => {
    describeIdentity(way);
    describeShell(way);
    describeEnvironment(way);
    describeOutput(way);
    describeEndings(way);
    describeLeftovers(way);
    describeOperations(way);
    describeRestarts(way);
    describeFiles(way);
  });
}
