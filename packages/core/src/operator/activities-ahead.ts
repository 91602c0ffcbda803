import type { CheckpointOption } from '@workflowlookup/schema';
import type { Navigator, SessionCheckpoint } from '../navigation/navigator.ts';
import type { RunnableActivities } from '../session-engine/open-session.ts';
import { sessionPosition } from '../session/evaluate-move.ts';
import type { SessionState } from '../session/session-state.ts';

/** The activities that a session can still enter. */
export interface ActivitiesAhead {
  /** The open checkpoints whose answers can change what comes next. */
  readonly open: readonly SessionCheckpoint[];
  readonly now: ReadonlySet<string>;
  /** For each answer to the open checkpoints, those that can be entered after it. */
  readonly answered: readonly ReadonlySet<string>[];
}

export function activitiesAhead(state: SessionState, navigator: Navigator): ActivitiesAhead {
  const open = openCheckpointsOf(state, navigator);
  const answered = open.flatMap((checkpoint) =>
    checkpoint.options.map((option) => reachable(afterAnswer(state, checkpoint, option), navigator)),
  );
  return { open, now: reachable(state, navigator), answered };
}

/**
 * Returns the activities that were left and that the session comes to again, because it was sent back to an activity
 * before them. Only those after the current activity count, in the order of the workflow: inside a loop, transitions can
 * lead to all of its activities, also if the session was not sent back.
 */
export function activitiesAgain(
  { workflow, navigator }: Pick<RunnableActivities, 'workflow' | 'navigator'>,
  state: SessionState,
  ahead: () => ActivitiesAhead = () => activitiesAhead(state, navigator),
): ReadonlySet<string> {
  const { current, visits } = state;
  const ids = workflow.activities.map(({ id }) => id);
  const next = nextActivities(state, navigator).map((id) => ids.indexOf(id));
  if (next.length === 0) return new Set();
  // If everything that can be next is before the current activity, the session goes back.
  const first = Math.min(ids.indexOf(current ?? '') + 1, Math.max(...next));
  const left = ids.filter((id, at) => at >= first && id !== current && visits[id] !== undefined);
  // Most sessions were never sent back.
  if (left.length === 0) return new Set();
  const { now, answered } = ahead();
  return new Set(left.filter((id) => [now, ...answered].some((one) => one.has(id))));
}

/** Returns the unanswered checkpoints of the current activity whose answers can change what comes next. */
function openCheckpointsOf(state: SessionState, navigator: Navigator): readonly SessionCheckpoint[] {
  const { current, gate: waiting, answered, status } = state;
  if (current === undefined || status === 'completed') return [];
  const { checkpoints } = navigator.place(current, state);
  const isOpen = ({ id }: SessionCheckpoint): boolean =>
    waiting === undefined ? answered.every(({ checkpoint }) => checkpoint !== id) : waiting.checkpoint === id;
  return checkpoints.filter(
    (checkpoint) => isOpen(checkpoint) && checkpoint.options.some(({ effect }) => effect !== undefined),
  );
}

/** The session as it would be after an answer: nothing is decided or written. */
function afterAnswer(
  state: SessionState,
  checkpoint: SessionCheckpoint,
  { id, effect }: CheckpointOption,
): SessionState {
  const { setVariable = {}, skipActivities = [], transitionTo } = effect ?? {};
  return {
    ...state,
    variables: { ...state.variables, ...setVariable },
    skipped: [...state.skipped, ...skipActivities],
    ...(transitionTo === undefined ? {} : { expected: transitionTo }),
    answered: [
      ...state.answered,
      {
        checkpoint: checkpoint.id,
        activity: state.current ?? '',
        answer: { kind: 'option', option: id },
        at: '',
      },
    ],
  };
}

/** The activities that can still be entered, with the variables as they are; an activity that an answer names goes first. */
function reachable(state: SessionState, navigator: Navigator): ReadonlySet<string> {
  const here = sessionPosition(state, navigator);
  const found = new Set(nextActivities(state, navigator));
  for (const current of found) {
    const moves = navigator.ahead({ ...here, current }).moves.map(({ target }) => target);
    for (const target of [...moves, ...namedByAnswers(current, state, navigator)]) {
      const id = navigator.find(target, here);
      if (id !== undefined) found.add(id);
    }
  }
  return new Set([...found].filter((id) => !here.skipped.has(id)));
}

/** Returns the activities that the options of an activity's checkpoints name as the next one. */
function namedByAnswers(id: string, state: SessionState, navigator: Navigator): readonly string[] {
  if (navigator.absence(id) !== undefined) return [];
  return navigator
    .place(id, state)
    .checkpoints.flatMap(({ options }) => options.flatMap(({ effect }) => effect?.transitionTo ?? []));
}

/** Returns the activities that can be entered next: the one that an answer names, or those of the transitions. */
function nextActivities(state: SessionState, navigator: Navigator): readonly string[] {
  if (state.status === 'completed') return [];
  const here = sessionPosition(state, navigator);
  const targets =
    state.expected === undefined ? navigator.ahead(here).moves.map(({ target }) => target) : [state.expected];
  return targets.flatMap((target) => navigator.find(target, here) ?? []);
}
