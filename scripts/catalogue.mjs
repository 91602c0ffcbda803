// Writes the data about the bundled workflows that `list` shows, so that `list` doesn't have to read their definitions.
// Run it after you change a bundled workflow. Until then, a test fails.
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'node_modules', '.cache', 'read-catalogue.mjs');

await build({
  entryPoints: [join(root, 'workflows/test/support/read-catalogue.ts')],
  outfile: out,
  bundle: true,
  format: 'esm',
  platform: 'node',
  conditions: ['@workflowlookup/source'],
  banner: {
    js: "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);",
  },
});
const { readCatalogue } = await import(out);
const catalogue = await readCatalogue(join(root, 'workflows/definitions'));
await writeFile(join(root, 'workflows/catalogue.json'), `${JSON.stringify(catalogue, undefined, 2)}\n`);
