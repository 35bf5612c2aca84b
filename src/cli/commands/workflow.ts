/** `harness workflow`: checks a WORKFLOW.md as an upload would. */
import { resolve } from 'node:path';
import { parseWorkflow } from '../../core/workflow.ts';
import type { Failure } from '../../core/failure.ts';
import type { CliDiagnostic } from '../cli-diagnostic.ts';
import type { Run } from '../invocation.ts';
import { done, refuse, refuseWith } from '../outcome.ts';
import { decodeText } from '../text-file.ts';

export const runWorkflow: Run = ({ names }, io) => {
  const path = names[0] as string;
  const bytes = io.files.read(resolve(io.cwd, path));
  if (bytes === undefined) return refuseWith('FILE_ERROR', `${path} does not exist.`);
  const text = decodeText(bytes);
  if (text === undefined) return refuseWith('FILE_ERROR', `${path} is no UTF-8 text. Save it as UTF-8.`);
  const workflow = parseWorkflow(text);
  return workflow.ok
    ? {
        ...done(`valid    ${path}`),
        data: { workflow: workflow.value },
        diagnostics: workflow.value.misspelt.map((name) => ({
          code: 'workflow_misspelt',
          severity: 'warning',
          message: `Nothing reads ${name}.`,
          path,
        })),
      }
    : refuse(...diagnosticsOf(workflow.error, path));
};

const diagnosticsOf = ({ code, detail, diagnostics = [] }: Failure, path: string): CliDiagnostic[] =>
  diagnostics.length === 0
    ? [{ code, severity: 'error', message: detail, path }]
    : diagnostics.map((finding) => ({ ...finding, path }));
