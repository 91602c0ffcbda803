import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the echo server as `tsup.base.ts` bundles the apps, so that what is compared is the code and not its packing. */
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
      js: "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);",
    },
  });
  return outfile;
}
