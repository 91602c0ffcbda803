import type { Options } from 'tsup';

type Entry = Readonly<Record<string, string>>;

/** Build options every library package shares: plain ESM, one file per entry; tsc writes the declarations. */
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

/** The entry of the threads that do jobs, which every app has beside its bundle; from the folder of an app. */
export const jobThread = '../../packages/host/src/jobs/job-thread.ts';

/** Build options every app shares: all code in one minified bundle, because loading many files is what a start costs. */
export const app = (entry: Entry): Options => ({
  ...library(entry),
  sourcemap: false,
  treeshake: false,
  minify: true,
  splitting: true,
  // The bundled workflows and the pages of the console are data, read from their packages at run time; pg is for who has a Postgres. Of libsql only the
  // native code stays outside, in one package for each platform: libsql itself would bring two of them to every Linux.
  external: [/^@workflowlookup\/(workflows|console)(\/|$)/, /^@libsql\//, 'pg'],
  noExternal: [/^(?!(@libsql\/.*|pg)$)/],
  // From sources and ES modules, so that what is loaded late ends up apart from what every start needs.
  esbuildOptions: (options) => {
    options.conditions = ['@workflowlookup/source'];
    options.mainFields = ['module', 'main'];
  },
  // CommonJS dependencies call `require`, which an ES module does not have.
  banner: {
    js: "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);",
  },
});
