import { isLong } from '../../../../test/support/is-long.ts';

/** Sizes of the tests of running replicas; `npm run test:long` runs the long form. */
export const rounds = isLong
  ? { race: 1000, outageMs: 300_000, restarts: 50, kills: 200, soakMs: 7_200_000 }
  : { race: 40, outageMs: 8_000, restarts: 2, kills: 6, soakMs: 0 };

/** Time limit of such a test. */
export const patienceMs = isLong ? 9_000_000 : 600_000;
