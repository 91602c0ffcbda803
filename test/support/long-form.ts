import { configureGlobal } from 'fast-check';
import { isLong } from './is-long.ts';

// Each run of a property test generates other cases, so several short runs together also find what a single one misses.
configureGlobal({ numRuns: isLong ? 10_000 : 50 });
