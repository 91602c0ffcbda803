import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the echo server like `tsup.base.ts` bundles the apps, so that bundling does not affect the comparison. */
export async function bundleBaseline(source, outfile) {
  await build({
    entryPoints: [fileURLToPath(new URL(source, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    banner: {
      js: "import { createRequire as createRequireHere } from 'node:module'; const require = (id) => createRequireHere(import.meta.url)(id);",
    },
  });
  return outfile;
}
