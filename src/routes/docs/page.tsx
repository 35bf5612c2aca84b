/** The page around the sections: head, menu, order. Without scripts, without anything from elsewhere. */
import type { OpenApi } from '../../http/openapi.ts';
import { TAGS, type Route, type Tag } from '../../http/route.ts';
import { CAPABILITIES } from '../../core/projection/capabilities.ts';
import { Conventions, Errors, FirstSteps, Overview } from './intro.tsx';
import { Objects, objectNames } from './objects.tsx';
import { Address, OperationSection, hrefOf } from './operation.tsx';
import { ProjectionSections } from './projection.tsx';

interface Props {
  routes: readonly Route[];
  document: OpenApi;
}

export const DocsPage = ({ routes, document }: Props) => {
  const byTag = TAGS.map((tag): [Tag, Route[]] => [tag, routes.filter((route) => route.tag === tag)]);
  const menu = <Menu byTag={byTag} document={document} />;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>edge-harness API</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header>
          <a class="brand" href="#overview">
            edge-harness
          </a>
          <details class="menu">
            <summary>Contents</summary>
            {menu}
          </details>
        </header>
        <div class="columns">
          <aside>{menu}</aside>
          <main id="content">
            <Overview />
            <FirstSteps />
            <Conventions />
            <Errors />
            {byTag.map(([tag, ofTag]) => (
              <section id={tagId(tag)}>
                <h2>{headingOf(tag)}</h2>
                {ofTag.map((route) => (
                  <OperationSection route={route} document={document} />
                ))}
              </section>
            ))}
            <ProjectionSections />
            <Objects document={document} />
          </main>
        </div>
      </body>
    </html>
  );
};

const tagId = (tag: Tag): string => `routes-${tag.toLowerCase().replaceAll(' ', '-')}`;

/** The projection has a chapter of its own beside its routes. */
const headingOf = (tag: Tag): string => (tag === 'Hook projection' ? 'Hook projection routes' : tag);

const Menu = ({ byTag, document }: { byTag: [Tag, Route[]][]; document: OpenApi }) => (
  <nav aria-label="Contents">
    <p>Start</p>
    <Links
      of={[
        ['#overview', 'Overview'],
        ['#first-steps', 'First steps'],
        ['#authentication', 'Authentication'],
        ['#paging', 'Paging'],
        ['#repeating', 'Repeating a request'],
        ['#errors', 'Errors'],
      ]}
    />
    {byTag.map(([tag, routes]) => (
      <>
        <p>{headingOf(tag)}</p>
        <ul>
          {routes.map((route) => (
            <li>
              <a href={hrefOf(route)} title={`${route.method} ${route.path}`}>
                <Address route={{ method: route.method, path: shortPath(route.path) }} />
              </a>
            </li>
          ))}
        </ul>
      </>
    ))}
    <p>Hook projection</p>
    <Links
      of={[
        ['#events', 'Events'],
        ['#handler-fields', 'Handler fields'],
        ...CAPABILITIES.map(({ provider, name }): [string, string] => [`#provider-${provider}`, name]),
        ['#diagnostics', 'Diagnostics'],
      ]}
    />
    <p>Objects</p>
    <Links of={objectNames(document).map((name) => [`#${name}`, name])} />
  </nav>
);

/** In the menu the end of a path tells routes apart. */
const shortPath = (path: string): string =>
  path
    .replace(/^\/v1\/projects\/\{project\}\/workspaces\/\{key\}\/attempts/, '…/attempts')
    .replace(/^\/v1\/projects\/\{project\}\/workspaces\/\{key\}/, '…/{key}')
    .replace(/^\/v1\/projects\/\{project\}\//, '…/')
    .replace(/^\/v1/, '');

const Links = ({ of }: { of: [href: string, text: string][] }) => (
  <ul>
    {of.map(([href, text]) => (
      <li>
        <a href={href}>{text}</a>
      </li>
    ))}
  </ul>
);
