import { WorkflowError } from '@workflowlookup/schema';
import type { Verdict } from '@workflowlookup/validation';
import { judgeOutputs } from '../session-engine/judge-outputs.ts';
import { accountFor } from '../session/account-for.ts';
import { itemOf, positionOf } from '../session/manifest-position.ts';
import { whereabouts } from '../session/whereabouts.ts';
import type { OperatorParts } from './load-run.ts';
import { loadRun } from './load-run.ts';
import type { OutputDraft } from './task.ts';

/** Judges an output as leaving the activity would. @throws WorkflowError STATE where the session has no such step now */
export async function judgeDraft(
  parts: OperatorParts,
  sid: string,
  { step, output, variables = {} }: OutputDraft,
): Promise<Verdict> {
  const { state, runnable } = await loadRun(parts, sid);
  const here = whereabouts(state, runnable.navigator, variables);
  const place = state.current === undefined ? undefined : runnable.navigator.place(state.current, here);
  const position = place && positionOf(place, step);
  if (place === undefined || position === undefined) {
    throw new WorkflowError('STATE', `The session does not stand at a step '${step}'.`);
  }
  if (output.trim() === '') return { valid: false, issues: ['The output is empty.'], suggestions: [] };
  const judge = await judgeOutputs(runnable, state);
  const context = { ...place.context, ...accountFor(place).values, ...itemOf(position) };
  return judge(position.step, output, context) ?? { valid: true, issues: [], suggestions: [] };
}
