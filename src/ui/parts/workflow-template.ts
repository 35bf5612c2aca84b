/** The first WORKFLOW.md of a project, from the wizard's answers. Pure. */

export interface Answers {
  id: string;
  location: string;
  setup: string;
  agent: string;
}

export function buildWorkflow({ id, location, setup, agent }: Answers): string {
  const root =
    location === 'cloudflare' ? '' : `workspace:\n  root: ~/HarnessWorkspaces/${id || 'my-project'}\n`;
  return `---
${root}hooks:
  # Once, in each new workspace.
${hook('after_create', setup, 'npm ci')}
  # Before every attempt; if it fails, the agent does not start.
${hook('before_run', '', 'npm run db:reset')}
  # After every attempt. The branch is saved afterwards.
${hook('after_run', '', 'rm -rf .next/cache')}
  # Before the workspace goes.
${hook('before_remove', '', 'echo "removing $SYMPHONY_ISSUE_IDENTIFIER"')}
  timeout_ms: 120000
${location === 'docker' ? 'docker:\n  image: node:24\n' : ''}agent:
${agent === '' ? '  # Without a command you run the agent yourself.\n  # command: |\n  #   claude -p "$SYMPHONY_ISSUE_TITLE"' : `  command: |\n${indent(agent)}`}
  max_attempts: 3
---
Work on the task that you are given. Commit your work; what is not committed is not saved.
`;
}

const hook = (name: string, script: string, example: string): string =>
  script === '' ? `  # ${name}: |\n  #   ${example}` : `  ${name}: |\n${indent(script)}`;

const indent = (script: string): string =>
  script
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
