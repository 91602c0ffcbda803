import type { LoopNode, Standing } from '../compile-workflow.ts';
import { conditionText } from '../outline/condition-text.ts';
import type { Navigator } from '../session/navigator.ts';
import type { SessionState } from '../session/session-state.ts';
import { activeModes } from '../session/variables.ts';
import type { RecordedEvent } from './operator.ts';

/** Why an activity of a graph was passed over: an answer or a mode took it out, or no way that was taken leads there. */
export function whyNotEntered(
  id: string,
  {
    navigator,
    state,
    events,
  }: {
    readonly navigator: Navigator;
    readonly state: SessionState;
    readonly events: readonly RecordedEvent[];
  },
): string {
  for (const { event } of events) {
    if (event.type !== 'checkpoint-answered' || event.effect?.skipActivities?.includes(id) !== true) continue;
    const { answer, checkpoint } = event;
    const said = answer.kind === 'dismissed' ? 'its dismissal' : `the answer '${answer.option}'`;
    return `${said} to checkpoint '${checkpoint}' took it out`;
  }
  const mode = activeModes(navigator, state.variables).find(({ skipActivities }) =>
    skipActivities.includes(id),
  );
  if (mode !== undefined) return `mode '${mode.id}' takes it out`;
  return state.outcome === 'abandoned' ? 'the session was abandoned' : 'no way that was taken leads there';
}

/** Why a step was passed over, as far as its definition tells: a condition of its own or of a loop around it. */
export function whyNotDone(
  { node, loops }: Standing,
  { outcome, visits }: Pick<SessionState, 'outcome' | 'visits'>,
): string {
  if (outcome === 'abandoned') return 'the session was abandoned';
  const outer = loops.find((loop) => !hasRounds(loop, visits));
  const condition = (outer ?? node).step.runCondition;
  if (condition !== undefined) return `its condition did not hold: ${conditionText(condition)}`;
  return outer === undefined ? 'it was passed over' : `loop '${outer.step.id}' had no round`;
}

function hasRounds({ step: { id } }: LoopNode, visits: SessionState['visits']): boolean {
  return Object.keys(visits).some((instance) =>
    instance.split('::').some((part) => part.startsWith(`${id}@`)),
  );
}
