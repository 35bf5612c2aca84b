/** What holds for every route: overview, first steps, authentication, paging, repeating, errors. */
import { FAILURES } from '../../core/failure.ts';
import { Codes, Prose, Sample, Table, printExample } from './prose.tsx';

export const Overview = () => (
  <section id="overview">
    <h1>edge-harness API</h1>
    <p class="lead">
      Task workspaces for coding agents: a repository on its own branch, the project’s hooks around each agent
      attempt, the branch saved, the files removed when the task is done. And agent hooks, written once for
      every agent.
    </p>
    <p>
      JSON in and out, UTF-8, all under <code>/v1</code>. The same description for machines:{' '}
      <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). Times are RFC 3339 in UTC, durations are
      integers in fields that end in <code>_ms</code>.
    </p>
    <dl class="words">
      <div>
        <dt>Project</dt>
        <dd>A repository, its WORKFLOW.md, its environment, and where its agents run.</dd>
      </div>
      <div>
        <dt>Task</dt>
        <dd>One unit of work from your tracker, with an identifier such as ABC-1.</dd>
      </div>
      <div>
        <dt>Workspace</dt>
        <dd>The files and the branch of one task: symphony/ABC-1.</dd>
      </div>
      <div>
        <dt>Attempt</dt>
        <dd>before_run, agent, after_run and save, once.</dd>
      </div>
    </dl>
  </section>
);

const firstSteps = `export URL=https://harness.example.com TOKEN=…

# a project, with its repository
curl -X PUT $URL/v1/projects/demo -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"repository": {"url": "https://git.example.com/team/shop.git"}}'

# its hooks and its agent
curl -X PUT $URL/v1/projects/demo/workflow -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: text/markdown' --data-binary @WORKFLOW.md

# an attempt on a task
curl -X POST $URL/v1/projects/demo/dispatch -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"task": {"identifier": "ABC-1", "title": "Fix the login page"}}'

# how it went
curl $URL/v1/projects/demo/workspaces/ABC-1 -H "Authorization: Bearer $TOKEN"

# done: the branch is saved, the workspace removed
curl -X PUT $URL/v1/projects/demo/tasks/ABC-1/state -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -d '{"state": "Done"}'
`;

export const FirstSteps = () => (
  <section id="first-steps">
    <h2>First steps</h2>
    <Sample title="The life of a task" text={firstSteps} />
  </section>
);

export const Conventions = () => (
  <section id="conventions">
    <h2>Conventions</h2>
    <h3 id="authentication">Authentication</h3>
    <p>
      <Prose text="Every route under `/v1` needs `Authorization: Bearer <API token>`. Tokens are set by the deployment as the secret `API_TOKEN`; several may be set, separated by commas. Where none is set, every protected route answers `auth_not_configured`." />
    </p>
    <h3 id="requests">Requests</h3>
    <p>
      <Prose text="Bodies are at most 1 MiB. Unknown fields and unknown query parameters are refused, by name: nothing that you send is left unread." />
    </p>
    <h3 id="paging">Paging</h3>
    <p>
      <Prose text="Lists take `limit` (50 when left out, at most 200) and `cursor`. An answer’s `next_cursor` is the cursor of the next page; null ends the list. Cursors are opaque and stay valid while items come and go." />
    </p>
    <h3 id="repeating">Repeating a request</h3>
    <p>
      <Prose text="Reading, PUT and DELETE may be repeated as they are. Where a route takes an `Idempotency-Key` (1 to 255 printable characters), the same key with the same request within 24 hours gives the same answer; with another request it is refused with `idempotency_key_reused`." />
    </p>
  </section>
);

const problem = {
  type: '/docs#workspace_in_use',
  title: FAILURES.workspace_in_use.title,
  status: 409,
  code: 'workspace_in_use',
  detail: 'Attempt 2 is using the workspace ABC-1: wait for its end or repeat with cancel=true.',
  retryable: false,
};

export const Errors = () => (
  <section id="errors">
    <h2>Errors</h2>
    <p>
      <Prose text="Every refusal is `application/problem+json`. Programs read `code`; people read `detail`, which says what failed, with which value, and what to do. `diagnostics` name the field, or the line and column of a text. Every answer has an `X-Request-Id`." />
    </p>
    <Sample title="409" text={printExample(problem)} />
    <Table kind="list" label="Error codes" head={['Status', 'Code', 'Meaning']}>
      {Object.entries(FAILURES).map(([code, { status, title, retryable }]) => (
        <tr id={code}>
          <td class="number">{status}</td>
          <th scope="row">
            <Codes of={[code]} />
          </th>
          <td>
            {title}
            {retryable ? <span class="optional"> try again later</span> : null}
          </td>
        </tr>
      ))}
    </Table>
  </section>
);
