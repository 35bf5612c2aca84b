/** One route on the page: what it takes, what it answers, how it refuses. */
import type { FailureCode } from '../../core/failure.ts';
import { FAILURES } from '../../core/failure.ts';
import type { OpenApi, Operation } from '../../http/openapi.ts';
import { operationId } from '../../http/openapi.ts';
import type { Answer, Route } from '../../http/route.ts';
import { codesOf } from '../../http/route-errors.ts';
import { FieldsTable } from './fields-table.tsx';
import { Prose, Sample, printExample } from './prose.tsx';
import { type SchemaRow, type Schemas, buildRows, referenceName } from './schema-rows.ts';

export const OperationSection = ({ route, document }: { route: Route; document: OpenApi }) => {
  const operation = document.paths[route.path]?.[route.method.toLowerCase()] as Operation;
  const { schemas } = document.components;
  const rows = parameterRows(operation, schemas);
  return (
    <section class="operation" id={operation.operationId}>
      <h3>
        <Address route={route} />
        <a class="anchor" href={`#${operation.operationId}`} aria-label="Link to this route">
          #
        </a>
      </h3>
      <p class="summary">{route.summary}.</p>
      {route.notes === null ? null : (
        <p>
          <Prose text={route.notes} />
        </p>
      )}
      <Access route={route} />
      {rows.length > 0 ? <FieldsTable of="Parameter" label="Parameters" rows={rows} /> : null}
      <RequestBody route={route} operation={operation} schemas={schemas} />
      <Answers route={route} operation={operation} schemas={schemas} />
      <Refusals codes={codesOf(route)} />
    </section>
  );
};

export const Address = ({ route: { method, path } }: { route: Pick<Route, 'method' | 'path'> }) => (
  <span class="address">
    <span class={`method ${method.toLowerCase()}`}>{method}</span>{' '}
    <code>
      {path.split(/(?<=\/)/).map((step) => (
        <>
          {step}
          <wbr />
        </>
      ))}
    </code>
  </span>
);

export const hrefOf = (route: Route): string => `#${operationId(route)}`;

const Access = ({ route: { access } }: { route: Route }) =>
  access === 'token' ? null : (
    <p class="access">
      {access === 'open' ? 'Needs no token.' : <Prose text="Needs no token when `PUBLIC_PROJECTION=true`." />}
    </p>
  );

const parameterRows = (operation: Operation, schemas: Schemas): SchemaRow[] =>
  operation.parameters.map(({ name, in: place, required, description, schema }) => {
    const [row] = buildRows({ properties: { [name]: schema }, required: required ? [name] : [] }, schemas);
    const where = place === 'path' ? 'In the path.' : place === 'header' ? 'Header.' : '';
    return { ...(row as SchemaRow), description: [where, description ?? ''].filter(Boolean).join(' ') };
  });

interface PartProps {
  route: Route;
  operation: Operation;
  schemas: Schemas;
}

const RequestBody = ({ route, operation, schemas }: PartProps) => {
  if (route.body === null) return null;
  const schema = operation.requestBody?.content[route.body.type]?.schema ?? {};
  const rows = buildRows(schemas[referenceName(schema) ?? ''] ?? schema, schemas);
  return (
    <>
      <h4>
        Body <code class="type">{route.body.type}</code>
      </h4>
      {rows.length > 0 ? <FieldsTable of="Field" label="Fields of the body" rows={rows} /> : null}
      <Sample title="Example" text={printExample(route.body.example)} />
    </>
  );
};

const Answers = ({ route, operation, schemas }: PartProps) => (
  <>
    <h4>Answers</h4>
    <ul class="answers">
      {Object.entries(route.answers).map(([status, answer]) => (
        <li>
          <span class="status">{status}</span> {answer.description}{' '}
          <AnswerType answer={answer} content={operation.responses[status]?.content} schemas={schemas} />
          {answer.example === undefined ? null : (
            <details>
              <summary>Example</summary>
              <Sample title={answer.type ?? ''} text={printExample(answer.example)} />
            </details>
          )}
        </li>
      ))}
    </ul>
  </>
);

interface AnswerTypeProps {
  answer: Answer;
  content: Operation['responses'][string]['content'];
  schemas: Schemas;
}

const AnswerType = ({ answer: { type }, content, schemas }: AnswerTypeProps) => {
  if (type === undefined) return null;
  const schema = content?.[type]?.schema ?? {};
  const name = referenceName(schema.items ?? schema);
  if (name === null || schemas[name]?.type !== 'object') return <code class="type">{type}</code>;
  return (
    <>
      {schema.items ? 'List of ' : ''}
      <a href={`#${name}`}>{name}</a>
    </>
  );
};

const Refusals = ({ codes }: { codes: readonly FailureCode[] }) => (
  <>
    <h4>Errors</h4>
    <ul class="chips">
      {codes.map((code) => (
        <li>
          <a href={`#${code}`}>
            <span class="status">{FAILURES[code].status}</span> {code}
          </a>
        </li>
      ))}
    </ul>
  </>
);
