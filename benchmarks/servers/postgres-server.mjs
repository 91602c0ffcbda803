import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const support = new URL('../../packages/storage/test/support/postgres-server.ts', import.meta.url);

/**
 * Starts a Postgres server like the tests do, but one that waits for its disk like a production server. The helper of
 * the tests is TypeScript, so it is bundled first.
 *
 * @param {string} scratch
 * @param {Readonly<Record<string, string>>} [settings] of the server
 * @returns {Promise<import('../../packages/storage/test/support/postgres-server.ts').PostgresServer>}
 */
export async function startPostgresServer(scratch, settings) {
  const outfile = join(scratch, 'postgres-server.mjs');
  await build({
    entryPoints: [fileURLToPath(support)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // The helper and the driver look for their files relative to this folder.
    define: { 'import.meta.url': JSON.stringify(support.href) },
    external: ['pg-native'],
    banner: {
      js: `import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(${JSON.stringify(support.href)});`,
    },
  });
  const { startPostgres } = await import(pathToFileURL(outfile).href);
  return startPostgres(settings);
}
