import { isLong } from './is-long.ts';

// With so many runs, property tests also find rare cases.
if (isLong) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ numRuns: 10_000 });
}
