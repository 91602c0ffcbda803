import { isLong } from '../../../../test/support/is-long.ts';

/** How often the tests with real processes repeat themselves; `npm run test:long` asks for the long form. */
export const rounds = isLong ? { race: 10_000, kill: 1000 } : { race: 100, kill: 12 };

/** What such a test may take. */
export const patienceMs = isLong ? 3_600_000 : 60_000;
