/** Bundles the page's scripts and styles into `src/ui/static/assets`, where the Worker's static files are served from. */
import { fileURLToPath } from 'node:url';
import { buildUi } from './stack/ui.ts';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sizes = await buildUi();
  for (const { name, gzipBytes } of sizes)
    console.log(`${(gzipBytes / 1024).toFixed(1).padStart(7)} KB gzip  ${name}`);
}
