import type { Verdict } from '@workflowlookup/validation';
import { compileCriteria, judge } from '@workflowlookup/validation';

/** What criteria make of an output. */
export async function verdictOf(criteria: unknown, output: string): Promise<Verdict> {
  return judge(await compileCriteria(criteria), output, {});
}

/** The verdict on an output whose check would take too much, by a criterion with the message `m`. */
export const tooComplex: Verdict = {
  valid: false,
  issues: ['The output is too complex to check: m'],
  suggestions: [
    'Review validation criteria and adjust output accordingly.',
    'Make the output shorter or simpler.',
  ],
};
