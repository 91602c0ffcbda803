import type { Context } from '@workflowlookup/conditions';
import type { Verdict } from '@workflowlookup/validation';
import { compileCriteria, describeCriteria, judge } from '@workflowlookup/validation';

/** An output, and criteria of any shape that `validationCriteria` may have. */
export interface JudgeOptions {
  readonly output: string;
  readonly criteria: unknown;
  /** What conditions of the criteria see. */
  readonly context?: Context;
}

/** A verdict, and the criteria as sentences. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly sentences: readonly string[];
}

/** Judges an output by criteria that belong to no workflow, and says them as sentences. @throws WorkflowError VALIDATION, INVALID_WORKFLOW, TOO_COSTLY */
export async function judgeOutput({ output, criteria, context = {} }: JudgeOptions): Promise<Judgement> {
  const verdict = judge(await compileCriteria(criteria), output, context);
  return { verdict, sentences: describeCriteria(criteria) };
}
