import type { Verdict } from '@workflowlookup/validation';
import { compileCriteria, judge } from '@workflowlookup/validation';
import { messages } from '../../src/messages.ts';

/** What criteria make of an output. */
export async function verdictOf(criteria: unknown, output: string): Promise<Verdict> {
  return judge(await compileCriteria(criteria), output, {});
}

/** The verdict on an output whose check would take too much, by a criterion with the message `m`. */
export const tooComplex: Verdict = {
  valid: false,
  issues: [messages.tooComplex('m')],
  suggestions: [messages.reviewCriteria, messages.simplify],
};
