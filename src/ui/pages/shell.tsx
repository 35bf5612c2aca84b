/** What every page has around it: head, navigation, and what the script needs to know. */
import type { Child } from 'hono/jsx';

export interface ShellProps {
  title: string;
  /** Which part of the script runs. */
  page: string;
  nonce: string;
  /** null: nobody is signed in. */
  csrf: string | null;
  current?: 'projects' | 'hooks';
  /** For the script, as `data-…` of the body. */
  data?: Record<string, string>;
  children: Child;
}

export const Shell = ({ title, page, nonce, csrf, current, data = {}, children }: ShellProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} – edge-harness`}</title>
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/assets/style.css" />
      <script type="module" src="/assets/app.js"></script>
    </head>
    <body data-page={page} data-csrf={csrf ?? ''} data-nonce={nonce} {...prefixed(data)}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="bar">
        <a class="brand" href="/">
          <img src="/favicon.svg" alt="" width="22" height="22" />
          edge-harness
        </a>
        <nav aria-label="Main">
          {csrf === null ? null : (
            <a href="/" aria-current={current === 'projects' ? 'page' : undefined}>
              Projects
            </a>
          )}
          <a href="/hooks" aria-current={current === 'hooks' ? 'page' : undefined}>
            Hooks
          </a>
          <a href="/docs">API</a>
        </nav>
        {csrf === null ? (
          <a class="button quiet" href="/sign-in">
            Sign in
          </a>
        ) : (
          <button type="button" class="quiet" data-action="sign-out">
            Sign out
          </button>
        )}
      </header>
      <main id="content" tabindex={-1}>
        {children}
      </main>
      <div id="toasts" role="status" aria-live="polite"></div>
    </body>
  </html>
);

const prefixed = (data: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [`data-${name}`, value]));
