import { evaluate } from '@workflowlookup/conditions';
import { defined, isJsonObject } from '@workflowlookup/schema';
import { ownValue, rootOf, authorsOf, checkVariables, withModeDefaults } from './session-state.ts';
import type { DecisionInputs, SessionCommand, Decision, Refusal } from './command.ts';
import type { MissingList } from './outputs/loop-iterations.ts';
import { heldLists, loopOver, missingList } from './outputs/loop-iterations.ts';
import type { SessionCheckpoint, Navigator, ActivityPlan } from '../navigation/navigator.ts';
import { isAskedInLoop, itemOfQuestion, iterationToAsk, placeOfQuestion } from './open-checkpoints.ts';
import { guardedNames, refuseWrite, withoutEchoes } from './ownership.ts';
import type { SessionEventOf } from './evolve.ts';
import { isAboutSame, isSameCheckpoint } from './evolve.ts';
import { planActivityWith, sessionPosition } from './evaluate-move.ts';
import { refuse } from './command.ts';
import type { SessionEvent } from './session-event.ts';
import type { AnsweredCheckpoint, AskedCheckpoint, SessionState, Values } from './session-state.ts';
import { loopMessages, messages, protectedVariables } from '../messages/sessions.ts';

type YieldCommand = Extract<SessionCommand, { kind: 'yield' }>;

export function yieldCheckpoint(
  state: SessionState,
  command: YieldCommand,
  at: DecisionInputs,
): Decision<SessionEvent> {
  const { current, variables } = state;
  const { checkpointId } = command;
  if (current === undefined) return refuse('INVALID_STATE', messages.noCheckpointToYield());
  const { checkpoints } = at.navigator.place(current, { variables });
  const checkpoint = checkpoints.find(({ id }) => id === checkpointId);
  if (checkpoint !== undefined) return stopAt(state, checkpoint, command, at);
  const known = checkpoints.map(({ id }) => id);
  return refuse('CHECKPOINT_NOT_FOUND', messages.checkpointNotFound(current, checkpointId, known), {
    checkpoint_id: checkpointId,
  });
}

/** Yields a checkpoint. The values of the call are set first, so that the question shows them. */
function stopAt(
  state: SessionState,
  declared: SessionCheckpoint,
  { checkpointId: checkpoint, variables = {}, credential }: YieldCommand,
  { navigator, gates, enforcement }: DecisionInputs,
): Decision<SessionEvent> {
  const activity = state.current ?? '';
  const asking = { checkpoint, activity };
  const written = withoutEchoes(state, navigator, variables);
  const given = valuesOf(state, navigator, written);
  const place = planActivityWith(state, navigator, activity, given.variables ?? {});
  const isInLoop = isAskedInLoop(place, declared);
  const iteration = isInLoop ? iterationToAsk(state, place, declared) : undefined;
  const asked = defined({ ...asking, iteration });
  const { context } = placeOfQuestion({ ...state, gate: asked }, place, declared);
  // If the condition is false with the values of the call, no answer is needed, so the values of an earlier answer stay.
  const isPut = declared.condition === undefined || evaluate(declared.condition, context);
  const refusal = refuseWrite(state, navigator, { values: written, ...(isPut && { asking }) });
  if (refusal !== undefined)
    return isPut
      ? refusal
      : explain(refusal, asking, 'condition-not-met', protectedVariables.conditionFalseAgain);
  const changed = hasOtherItem(state, navigator, place, asked)
    ? refuseWrite(state, navigator, { values: withListsBefore(state, navigator, place, declared, written) })
    : undefined;
  if (changed !== undefined)
    return explain(changed, asking, 'other-iteration', protectedVariables.otherIteration);
  const held = heldBack(state, place, given.variables);
  if (held !== undefined) return held;
  if (isInLoop && iteration === undefined) return noIteration(place, declared);
  const { missing } = place;
  if (missing !== undefined && mayGive(state, navigator, missing))
    return refuse(
      'INVALID_STATE',
      loopMessages.noItem(checkpoint, loopMessages.noList(missing), missing.variable),
      {
        checkpoint_id: checkpoint,
        reason: 'no-iteration',
      },
    );
  const problems = checkVariables(navigator, written);
  if (problems.length > 0 && [state.enforcement, enforcement].includes('strict')) {
    return refuse('INVALID_INPUT', problems.join(' '), { problems });
  }
  const event: SessionEvent = {
    type: 'checkpoint-yielded',
    ...asked,
    ...(state.frozen.some((one) => isSameCheckpoint(one, asking)) && { again: true }),
    ...(gates === 'human' && { approver: 'human' }),
    ...given,
    ...defined({ credential }),
  };
  return { ok: true, event, warnings: problems };
}

/** Explains why a variable that the checkpoint itself froze stays as it is, although the checkpoint is asked again. */
function explain(
  refusal: Refusal,
  { checkpoint, activity }: AskedCheckpoint,
  reason: string,
  message: (variable: string, checkpoint: string) => string,
): Refusal {
  const { variable, rule, checkpoint_id: owner, activity_id: place } = refusal.data;
  if (rule !== 'frozen' || owner !== checkpoint || place !== activity) return refusal;
  return {
    ...refusal,
    message: message(String(variable), checkpoint),
    data: { ...refusal.data, reason },
  };
}

/**
 * Returns whether earlier answers about other items of a loop still count when a checkpoint is asked again. Iterations
 * of a loop over activities without a list are not items: such a loop asks about the same subject again.
 */
function hasOtherItem(
  state: SessionState,
  navigator: Navigator,
  place: ActivityPlan,
  asked: AskedCheckpoint & Pick<AnsweredCheckpoint, 'iteration'>,
): boolean {
  const item = itemOfQuestion({ ...state, gate: { ...asked, yieldedAt: '' } }, place);
  const inner = state.loops?.at(-1);
  const isOverList = navigator
    .openLoops(sessionPosition(state, navigator, {}))
    .some(({ activity, loop }) => activity === inner?.activity && loop === inner?.loop);
  return state.frozen
    .filter((one) => isSameCheckpoint(one, asked))
    .flatMap(({ items = [] }) => items)
    .some((one) => (isOverList || one.visit === state.since) && !isAboutSame(one, item));
}

/**
 * Returns the values of a call with the lists of the loops that ask a checkpoint as they were before it, because an
 * agent may add items that have not been asked about. Other content of the same variable counts.
 */
function withListsBefore(
  state: SessionState,
  navigator: Navigator,
  { loops }: ActivityPlan,
  { id }: SessionCheckpoint,
  written: Values,
): Values {
  const around = loops.filter(({ steps }) => steps.some(({ checkpoint }) => checkpoint === id));
  return [...around, ...navigator.openLoops(sessionPosition(state, navigator, {}))]
    .flatMap(({ over }) => (over === undefined ? [] : [[over], over.split('.')]))
    .reduce((values, path) => withPathBefore(values, state.variables, path), written);
}

function withPathBefore(values: Values, before: Values, [key = '', ...path]: readonly string[]): Values {
  const { [key]: now, ...others } = values;
  if (now === undefined) return values;
  const then = ownValue(before, key);
  if (path.length === 0) return then === undefined ? others : { ...others, [key]: then };
  return isJsonObject(now) && isJsonObject(then)
    ? { ...others, [key]: withPathBefore(now, then, path) }
    : values;
}

/** Refuses values that would remove or change items of a list that a loop of the current activity runs over. */
function heldBack(
  { variables }: SessionState,
  place: ActivityPlan,
  given: Values = {},
): Decision<SessionEvent> | undefined {
  const { id: activity } = place;
  const [first, ...others] = Object.keys(heldLists(place, { before: variables, given }));
  if (first === undefined) return undefined;
  return refuse('VARIABLE_PROTECTED', protectedVariables.listOfActivity(first, activity), {
    variable: first,
    variables: [first, ...others],
    rule: 'loop',
    ...loopOver(place, first),
    activity_id: activity,
  });
}

/** Refuses a question that belongs to no iteration: its answer would count for an item that nobody saw. */
function noIteration({ loops, context }: ActivityPlan, { id }: SessionCheckpoint): Decision<SessionEvent> {
  const own = loops.filter(({ steps }) => steps.some(({ checkpoint }) => checkpoint === id));
  const missing = own.flatMap((loop) => missingList(loop, context) ?? []).map(loopMessages.noList);
  const names = own.map((loop) => loop.id);
  return refuse('INVALID_STATE', loopMessages.noIteration(id, names, missing), {
    checkpoint_id: id,
    reason: 'no-iteration',
  });
}

/**
 * Returns whether the agent may set a list. If it may not, a person can still be asked, so that the session isn't
 * stuck.
 */
function mayGive(state: SessionState, navigator: Navigator, { variable }: MissingList): boolean {
  return refuseWrite(state, navigator, { values: { [rootOf(variable)]: [] } }) === undefined;
}

function valuesOf(
  state: SessionState,
  navigator: Navigator,
  written: NonNullable<YieldCommand['variables']>,
): Pick<SessionEventOf<'checkpoint-yielded'>, 'variables' | 'setBy'> {
  if (Object.keys(written).length === 0) return {};
  const before = { ...state, guarded: guardedNames(state, navigator) };
  const variables = withModeDefaults(navigator, before, written);
  return { variables, ...authorsOf(variables, { acted: new Set(), written }) };
}
