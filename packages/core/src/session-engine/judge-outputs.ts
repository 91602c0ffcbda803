import type { Context } from '@workflowlookup/conditions';
import { WorkflowError } from '@workflowlookup/schema';
import type { Verdict } from '@workflowlookup/validation';
import type { Jobs } from '../jobs/jobs.ts';
import { jobsHere } from '../jobs/run-job.ts';
import type { Circumstances, SessionCommand } from '../session/command.ts';
import { decide } from '../session/decide.ts';
import type { Judge } from '../session/manifest.ts';
import type { PlannedStep } from '../session/navigator.ts';
import type { Decision } from '../session/refusal.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';

/** Where outputs are judged, and whose share of the work that is. */
export interface JudgeParts {
  /** By default the thread that asks. */
  readonly jobs?: Jobs | undefined;
  readonly principal?: string | undefined;
}

/**
 * Judges an output by the criteria of a step; `undefined` where it has none. Criteria that can't be used refuse every
 * output: nobody is let through by a broken definition. @throws WorkflowError INVALID_PARAMS, TOO_COSTLY, BUSY
 */
export async function judgeStep(
  { criteria }: PlannedStep,
  output: string,
  { context, jobs = jobsHere, principal = 'local' }: JudgeParts & { readonly context: Context },
): Promise<Verdict | undefined> {
  if (criteria === undefined) return undefined;
  try {
    return await jobs.run('judge', { criteria, output, context }, { principal });
  } catch (error) {
    if (error instanceof WorkflowError && (error.code === 'VALIDATION' || error.code === 'INVALID_WORKFLOW'))
      return refusal(error.message);
    throw error;
  }
}

function refusal(why: string): Verdict {
  return { valid: false, issues: [`its criteria can't be used (${why})`], suggestions: [] };
}

/** An output that a decision has to know the verdict on. */
interface Asked {
  readonly step: PlannedStep;
  readonly output: string;
  readonly context: Context;
}

const accepted: Verdict = { valid: true, issues: [], suggestions: [] };

/**
 * Decides on a command whose outputs are judged in a worker. Deciding is synchronous, so it first runs with every
 * output accepted, which shows the outputs to judge. Where all of them are accepted, that decision stands; otherwise it
 * runs again with the verdicts.
 */
export async function decideJudged(
  state: SessionState,
  command: SessionCommand,
  at: Omit<Circumstances, 'judge'>,
  by: JudgeParts,
): Promise<Decision<SessionEvent>> {
  const known: (Asked & { readonly verdict: Verdict | undefined })[] = [];
  for (;;) {
    const asked: Asked[] = [];
    let count = 0;
    const judge: Judge = (step, output, context) => {
      const one = known[count];
      count += 1;
      if (one !== undefined && isSameQuestion(one, { step, output })) return one.verdict;
      asked.push({ step, output, context });
      return accepted;
    };
    const decision = decide(state, command, { ...at, judge });
    if (asked.length === 0) return decision;
    known.length = count - asked.length;
    for (const one of asked) {
      const { step, output, context } = one;
      known.push({ ...one, verdict: await judgeStep(step, output, { ...by, context }) });
    }
    if (known.every(({ verdict }) => verdict?.valid !== false)) return decision;
  }
}

/** A navigator may plan a step anew each time it is asked, so steps are compared by what is asked of them. */
function isSameQuestion(one: Pick<Asked, 'step' | 'output'>, other: Pick<Asked, 'step' | 'output'>): boolean {
  return (
    one.step.id === other.step.id && one.step.criteria === other.step.criteria && one.output === other.output
  );
}
