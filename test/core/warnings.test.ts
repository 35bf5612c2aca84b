import { expect, test } from 'vitest';
import { buildProjectWarnings } from '../../src/core/warnings.ts';
import { parseWorkflow, type Workflow } from '../../src/core/workflow.ts';

const workflowOf = (frontMatter: string): Workflow => {
  const parsed = parseWorkflow(`---\n${frontMatter}\n---\n`);
  if (!parsed.ok) throw new Error(parsed.error.detail);
  return parsed.value;
};
const PLAIN = workflowOf('');
const QUIET = {
  location: 'cloudflare',
  isolation: null,
  workflow: PLAIN,
  hasWorkflowError: false,
  hasSnapshots: true,
} as const;

test('a project in a sandbox with everything in place has no warning', () => {
  expect(buildProjectWarnings(QUIET)).toEqual([]);
});

test.each([
  ['plain_host', { location: 'host' as const }],
  ['network_not_limited', { location: 'host' as const, workflow: workflowOf('network: none') }],
  ['workflow_misspelt', { workflow: workflowOf('agent: {comand: x}') }],
  ['snapshots_unavailable', { hasSnapshots: false }],
  ['workflow_refused', { hasWorkflowError: true }],
])('%s is said where it is so', (code, more) => {
  const codes = buildProjectWarnings({ ...QUIET, ...more }).map((warning) => warning.code);
  expect(codes).toContain(code);
});
