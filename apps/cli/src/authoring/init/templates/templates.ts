import type { Template } from '../template.ts';
import { activityReview } from './activity-review.ts';
import { activitySequence } from './activity-sequence.ts';
import { stepBranches } from './step-branches.ts';
import { stepLoop } from './step-loop.ts';
import { stepSequence } from './step-sequence.ts';

/** Every template; the first of a kind is its default. */
export const templates: readonly Template[] = [
  stepSequence,
  stepBranches,
  stepLoop,
  activitySequence,
  activityReview,
];
