/** The page's style sheet: one file, own colours for light and dark, one column on a phone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1d2129, #e4e7ee);
  --soft: light-dark(#5b6372, #9aa3b5);
  --line: light-dark(#e2e5eb, #2c323f);
  --page: light-dark(#ffffff, #12151b);
  --raised: light-dark(#f6f7f9, #1a1e27);
  --accent: light-dark(#2554c7, #8fb0ff);
  --get: light-dark(#0b6b3a, #6fd8a1);
  --post: light-dark(#2554c7, #8fb0ff);
  --put: light-dark(#8a4b00, #f3b562);
  --delete: light-dark(#b3261e, #ff9d95);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; }
body {
  margin: 0; background: var(--page); color: var(--text); overflow-wrap: break-word;
  font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
}
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; background: var(--page); padding: .5rem; z-index: 2; }

header { display: none; }
.columns { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
aside {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 3rem 1.5rem;
  border-right: 1px solid var(--line); background: var(--raised); font-size: .875rem;
}
main { padding: 2.5rem 3rem 6rem; max-width: 62rem; }

nav p { margin: 1.25rem 0 .25rem; font-size: .75rem; font-weight: 650; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
nav p:first-child { margin-top: 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .2rem .5rem; margin: 0 -.5rem; border-radius: 5px; color: var(--text); text-decoration: none; }
nav a:hover { background: var(--line); }
nav .method { min-width: 3.9em; font-size: .68rem; }
nav .address { display: flex; align-items: baseline; gap: .4rem; }
nav .address code { background: none; padding: 0; font-size: .78rem; }

h1 { font-size: 2.25rem; line-height: 1.15; margin: 0 0 1rem; letter-spacing: -.02em; }
h2 { font-size: 1.6rem; line-height: 1.25; margin: 4rem 0 1rem; padding-top: 1.5rem; border-top: 1px solid var(--line); letter-spacing: -.01em; }
h3 { font-size: 1.15rem; line-height: 1.35; margin: 2.25rem 0 .5rem; }
h4 { font-size: .95rem; margin: 1.5rem 0 .5rem; }
p { margin: .5rem 0; max-width: 46rem; }
.lead { font-size: 1.2rem; line-height: 1.5; color: var(--soft); margin-bottom: 1.25rem; }

code { font: .875em var(--mono); background: var(--raised); border-radius: 4px; padding: .1em .3em; }
th code { white-space: nowrap; }
td code { overflow-wrap: anywhere; }
.matrix code { white-space: nowrap; }
pre { margin: 0; padding: .9rem 1rem; overflow-x: auto; max-height: 30rem; font: .85rem/1.5 var(--mono); }
pre code { background: none; padding: 0; font: inherit; }
.sample { margin: .75rem 0; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.sample figcaption { padding: .3rem 1rem; font-size: .8rem; color: var(--soft); border-bottom: 1px solid var(--line); }
details > summary { cursor: pointer; color: var(--soft); font-size: .875rem; }
.type { color: var(--soft); font-weight: 400; }

.words { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .75rem; margin: 1.5rem 0 0; }
.words div { border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem; }
.words dt { font-weight: 650; }
.words dd { margin: .15rem 0 0; color: var(--soft); font-size: .925rem; }

.operation { padding: 1.5rem 0 2rem; border-bottom: 1px solid var(--line); }
.operation:last-child { border-bottom: 0; }
.operation h3 { display: flex; align-items: baseline; gap: .5rem; margin: 0 0 .5rem; }
.operation h3 code { font-size: 1rem; background: none; padding: 0; }
.summary { font-weight: 600; }
.access { color: var(--soft); }
.anchor { color: var(--soft); text-decoration: none; opacity: 0; font-weight: 400; }
h3:hover .anchor, .anchor:focus-visible { opacity: 1; }
.address { display: inline-flex; align-items: baseline; gap: .6rem; min-width: 0; }
.address code { overflow-wrap: anywhere; white-space: normal; }
.method { display: inline-block; flex: none; font: 700 .75rem/1.5 var(--mono); letter-spacing: .02em; }
.operation .method { padding: .1rem .45rem; border: 1px solid currentcolor; border-radius: 5px; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .delete { color: var(--delete); }

.table { overflow-x: auto; margin: .75rem 0; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .8rem; border-top: 1px solid var(--line); font-weight: 400; }
thead th { border-top: 0; background: var(--raised); font-size: .8rem; font-weight: 600; color: var(--soft); white-space: nowrap; }
td + td, th + td { min-width: 8rem; }
td.number { width: 5rem; min-width: 0; }
.matrix tbody th, .matrix thead th:first-child { position: sticky; left: 0; background: var(--page); border-right: 1px solid var(--line); }
.matrix thead th:first-child { background: var(--raised); }
tr:target { background: light-dark(#fff6d6, #3a331a); }
.optional { color: var(--soft); font-size: .8rem; font-style: italic; }
.none { color: var(--soft); }
.legend { font-size: .875rem; color: var(--soft); }

.answers { list-style: none; margin: 0; padding: 0; }
.answers li { margin: .35rem 0; }
.status { font: 600 .85rem var(--mono); }
.chips { list-style: none; display: flex; flex-wrap: wrap; gap: .35rem; margin: 0; padding: 0; }
.chips a { display: block; padding: .1rem .5rem; border: 1px solid var(--line); border-radius: 5px; font: .8rem/1.6 var(--mono); color: var(--text); text-decoration: none; }
.chips a:hover { border-color: var(--accent); }
.chips .status { color: var(--soft); font-size: .8rem; }
.severity { font-size: .75rem; font-weight: 600; }
.severity.error { color: var(--delete); } .severity.warning { color: var(--put); }

.provider { margin-top: 2rem; }
.facts { display: grid; grid-template-columns: 10rem minmax(0, 1fr); gap: .5rem 1rem; margin: 0; font-size: .925rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
.facts ul { margin: 0; padding-left: 1.1rem; }
.outside { display: block; }

@media (max-width: 60rem) {
  header {
    display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; position: sticky; top: 0; z-index: 1;
    padding: .7rem 1.1rem; background: var(--page); border-bottom: 1px solid var(--line);
  }
  html { scroll-padding-top: 4.5rem; }
  .brand { font-weight: 650; color: var(--text); text-decoration: none; }
  .menu[open] { position: static; }
  .menu nav {
    position: absolute; left: 0; right: 0; top: 100%; max-height: calc(100vh - 4rem); overflow-y: auto;
    padding: 1rem 1.25rem 2rem; background: var(--page); border-bottom: 1px solid var(--line); box-shadow: 0 12px 24px #0003;
  }
  .columns { display: block; }
  aside { display: none; }
  main { padding: 1.5rem 1.1rem 4rem; }
  h1 { font-size: 1.8rem; }
  h2 { font-size: 1.4rem; margin-top: 2.5rem; }
  .list thead { position: absolute; left: -100vw; }
  .list table, .list tbody, .list tr, .list th, .list td { display: block; }
  .list tr { padding: .5rem .8rem; border-top: 1px solid var(--line); }
  .list tr:first-child { border-top: 0; }
  .list th, .list td { padding: 0; border: 0; }
  .list td.number, .list td.number + th { display: inline; }
  .list th + td { color: var(--soft); }
  .list td:empty { display: none; }
  .list th code { padding-left: 0; background: none; white-space: normal; font-weight: 650; }
  .facts { grid-template-columns: 1fr; gap: .1rem; }
  .facts dd { margin-bottom: .6rem; }
  .operation h3 { display: block; }
}
@media print {
  aside, header { display: none; }
  .columns { display: block; }
}
`;
