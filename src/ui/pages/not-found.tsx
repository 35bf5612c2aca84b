/** Where an address leads nowhere, or something is wrong. */
export const NotFound = ({ title, detail }: { title: string; detail: string }) => (
  <div class="narrow empty">
    <h1>{title}</h1>
    <p>{detail}</p>
    <a class="button primary" href="/">
      To the projects
    </a>
  </div>
);
