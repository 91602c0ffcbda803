import type { Options } from 'tsup';

/** Build options every library package shares: plain ESM, one file per entry; tsc writes the declarations. */
export const library = (entry: Record<string, string>): Options => ({
  entry,
  format: 'esm',
  target: 'node20',
  dts: false,
  clean: true,
  sourcemap: true,
  treeshake: true,
});
