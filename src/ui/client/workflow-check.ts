/** The faults of a WORKFLOW.md, as the service would refuse it. */
import { call, type Diagnostic } from './api.ts';

export const checkWorkflow = async (workflow: string): Promise<Diagnostic[]> =>
  (await call<{ diagnostics: Diagnostic[] }>('POST', '/v1/validation', { workflow })).diagnostics;
