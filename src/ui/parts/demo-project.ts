/** The demo project: hooks that show what they do, at a pace that can be watched. */

export const DEMO_WORKFLOW = String.raw`---
hooks:
  after_create: |
    printf '\033[36minstalling\033[0m in %s\n' "$SYMPHONY_WORKSPACE_KEY"
    for step in fetch build link; do sleep 0.6; echo "  $step: done"; done
  before_run: |
    echo "attempt $SYMPHONY_ATTEMPT of $SYMPHONY_ISSUE_IDENTIFIER on $SYMPHONY_ISSUE_BRANCH"
    # The third task's first try finds a service that is not up yet.
    if [ "$SYMPHONY_ISSUE_IDENTIFIER" = flaky ] && [ ! -e .git/demo-service ]; then
      touch .git/demo-service
      echo "the service is not up yet" >&2
      exit 1
    fi
  after_run: |
    printf 'after the agent: \033[1m%s\033[0m\n' "$SYMPHONY_ATTEMPT_OUTCOME"
  before_remove: |
    echo "removing $SYMPHONY_ISSUE_IDENTIFIER"
  timeout_ms: 20000
agent:
  command: |
    for n in 1 2 3 4 5 6; do
      printf '\033[32m✓\033[0m step %s of 6\n' "$n"
      sleep 0.7
    done
    echo "- $SYMPHONY_ISSUE_IDENTIFIER: $SYMPHONY_ISSUE_TITLE" >> CHANGES.md
    git add CHANGES.md
    git commit --quiet --message "Do $SYMPHONY_ISSUE_IDENTIFIER"
    git log --oneline -1
  max_retry_backoff_ms: 8000
---
Add the task to CHANGES.md and commit.
`;

export const DEMO_TASKS = [
  { identifier: 'ABC-1', title: 'Greet people by name', state: 'Todo' },
  { identifier: 'feat/login page', title: 'A page to sign in', state: 'Todo' },
  { identifier: 'flaky', title: 'before_run fails the first time', state: 'Todo' },
];
