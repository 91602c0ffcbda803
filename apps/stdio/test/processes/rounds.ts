import { isLong } from '../../../../test/support/is-long.ts';

/** How often the tests with real processes repeat; `npm run test:long` runs the long form. */
export const rounds = isLong ? { race: 10_000, kill: 1000 } : { race: 100, kill: 12 };

/** Time limit of such a test. */
export const patienceMs = isLong ? 3_600_000 : 60_000;
