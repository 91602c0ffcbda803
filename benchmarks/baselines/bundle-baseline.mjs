import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleBanner } from '../../scripts/support/bundle-banner.mjs';

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
    banner: { js: bundleBanner },
  });
  return outfile;
}
