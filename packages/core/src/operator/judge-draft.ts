import { WorkflowError } from '@workflowlookup/schema';
import type { Verdict } from '@workflowlookup/validation';
import type { JudgeParts } from '../session-engine/judge-outputs.ts';
import { judgeStep } from '../session-engine/judge-outputs.ts';
import { accountFor } from '../session/account-for.ts';
import { withItem } from '../session/loop-iterations.ts';
import { placeWith } from '../session/prospect.ts';
import type { OperatorParts } from './load-run.ts';
import { loadRun } from './load-run.ts';
import type { OutputDraft } from './task.ts';

/** Judges an output as leaving the activity would. @throws WorkflowError STATE where the session has no such step now */
export async function judgeDraft(
  parts: OperatorParts,
  sid: string,
  { step, output, variables = {}, principal }: OutputDraft & Pick<JudgeParts, 'principal'>,
): Promise<Verdict> {
  const { state, runnable } = await loadRun(parts, sid);
  const { current: activity } = state;
  const place =
    activity === undefined ? undefined : placeWith(state, runnable.navigator, { activity, given: variables });
  const [instance] = place === undefined ? [] : accountFor(place, [{ step_id: step, output }]).entries;
  if (place === undefined || instance === undefined) {
    throw new WorkflowError('STATE', `The session does not stand at a step '${step}'.`);
  }
  if (output.trim() === '') return { valid: false, issues: ['The output is empty.'], suggestions: [] };
  const context = withItem({ ...place.context, ...accountFor(place).values }, instance.item);
  const verdict = await judgeStep(instance.step, output, { jobs: parts.jobs, principal, context });
  return verdict ?? { valid: true, issues: [], suggestions: [] };
}
