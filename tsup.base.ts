import type { Options } from 'tsup';
import { bundleBanner } from './scripts/support/bundle-banner.mjs';

type Entry = Readonly<Record<string, string>>;

/** Returns the build options of a library package: ES modules, one file for each entry. tsc writes the declarations. */
export const library = (entry: Entry): Options => ({
  entry: { ...entry },
  format: 'esm',
  target: 'node20',
  dts: false,
  clean: true,
  sourcemap: true,
  treeshake: true,
  silent: true,
});

/** Returns the build options of an app: a minified bundle with all dependencies, because loading many files is slow. */
export const app = (entry: Entry): Options => ({
  ...library(entry),
  sourcemap: false,
  treeshake: false,
  minify: true,
  splitting: true,
  // An app reads the bundled workflows and the pages of the console from their packages at run time. Only users of
  // Postgres install pg. The native code of libsql is in one package for each platform, which can't be bundled. libsql
  // itself is bundled, because as a dependency it would install two of these packages on every Linux.
  external: [/^@workflowlookup\/(workflows|console)(\/|$)/, /^@libsql\//, 'pg'],
  noExternal: [/^(?!(@libsql\/.*|pg)$)/],
  // Bundle sources and ES modules, so that code that is loaded later is in other files than the code that each start needs.
  esbuildOptions: (options) => {
    options.conditions = ['@workflowlookup/source'];
    options.mainFields = ['module', 'main'];
    // One character beyond Latin-1 would double the memory that a file of the bundle takes. In regular expressions, this
    // option replaces none: write them as `\uFF1A`.
    options.charset = 'ascii';
  },
  banner: { js: bundleBanner },
});
