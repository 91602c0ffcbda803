import type { Verdict } from '@workflowlookup/validation';
import { compileCriteria, judge } from '@workflowlookup/validation';
import { messages } from '../../src/messages.ts';

/** Returns the verdict of criteria on an output. */
export async function verdictOf(criteria: unknown, output: string): Promise<Verdict> {
  return judge(await compileCriteria(criteria), output, {});
}

/** The verdict of a criterion with the message `m` on an output that is too complex to check. */
export const tooComplex: Verdict = {
  valid: false,
  issues: [messages.tooComplex('m')],
  suggestions: [messages.reviewCriteria, messages.simplify],
};
