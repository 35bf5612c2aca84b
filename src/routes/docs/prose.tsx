/** Small pieces of text on the page. JSX escapes everything; nothing here writes raw HTML. */
import type { Child } from 'hono/jsx';

/** One line of text with `code` in backticks, as notes and descriptions are written. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
);

export const Codes = ({ of }: { of: readonly string[] }) => (
  <>
    {of.map((text, index) => (
      <>
        {index > 0 ? ' ' : ''}
        <code>{text}</code>
      </>
    ))}
  </>
);

export const Sample = ({ title, text }: { title: string; text: string }) => (
  <figure class="sample">
    <figcaption>{title}</figcaption>
    <pre tabindex={0}>
      <code>{text}</code>
    </pre>
  </figure>
);

interface TableProps {
  /** On a phone the rows of a list stand below each other; a matrix scrolls on its own, so that the page never does. */
  kind: 'list' | 'matrix';
  label: string;
  head: readonly string[];
  children: Child;
}

export const Table = ({ kind, label, head, children }: TableProps) => (
  <div class={`table ${kind}`} role="region" aria-label={label} tabindex={0}>
    <table>
      <thead>
        <tr>
          {head.map((cell) => (
            <th scope="col">{cell}</th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

export const printExample = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example, undefined, 2);
