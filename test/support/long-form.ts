import { isLong } from './is-long.ts';

// In the long form, properties run until a rare case has had its chance.
if (isLong) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ numRuns: 10_000 });
}
