import { configureGlobal } from 'fast-check';
import { isLong } from './is-long.ts';

// Each run generates other cases, so the runs of `npm test` of several days find more than one run. With as many cases
// as in the long form, a single run also finds rare ones.
configureGlobal({ numRuns: isLong ? 10_000 : 50 });
