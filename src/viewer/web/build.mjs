// node build.mjs FOLDER: bundles the page into FOLDER/app.js, app.css and index.html.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
await build({
  entryPoints: [join(here, 'app.js')],
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'inline',
  loader: { '.woff2': 'dataurl', '.webp': 'dataurl' },
  outfile: join(folder, 'app.js'),
  logLevel: 'warning',
});
copyFileSync(join(here, 'index.html'), join(folder, 'index.html'));
