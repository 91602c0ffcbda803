import { evaluate } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import { rootOf, authorsOf, checkVariables, withModeDefaults } from './session-state.ts';
import type { DecisionInputs, SessionCommand, Decision, Refusal } from './command.ts';
import type { MissingList } from './loop-iterations.ts';
import { heldLists, loopOver, missingList, whatIsMissing } from './loop-iterations.ts';
import type { SessionCheckpoint, Navigator, ActivityPlan } from '../navigation/navigator.ts';
import { isAskedInLoop, itemOfQuestion, iterationToAsk, placeOfQuestion } from './open-checkpoints.ts';
import { guardedNames, refuseWrite, withoutEchoes } from './ownership.ts';
import { isAboutSame } from './evolve.ts';
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
  if (current === undefined) {
    return refuse('INVALID_STATE', messages.noCheckpointToYield());
  }
  const { checkpoints } = at.navigator.place(current, { variables });
  const checkpoint = checkpoints.find(({ id }) => id === checkpointId);
  if (checkpoint !== undefined) return stopAt(state, current, { checkpoint, command, at });
  const known = checkpoints.map(({ id }) => id);
  return refuse('CHECKPOINT_NOT_FOUND', messages.checkpointNotFound(current, checkpointId, known), {
    checkpoint_id: checkpointId,
  });
}

/** Yields a checkpoint. The values of the call are set first, so that the question shows them. */
function stopAt(
  state: SessionState,
  activity: string,
  {
    checkpoint: declared,
    command: { checkpointId: checkpoint, variables = {}, credential },
    at: { navigator, gates, enforcement },
  }: { readonly checkpoint: SessionCheckpoint; readonly command: YieldCommand; readonly at: DecisionInputs },
): Decision<SessionEvent> {
  const asking = { checkpoint, activity };
  const written = withoutEchoes(state, navigator, variables);
  const given = valuesOf(state, navigator, written);
  const place = planActivityWith(state, navigator, { activity, given: given.variables ?? {} });
  const isInLoop = isAskedInLoop(place, declared);
  const iteration = isInLoop ? iterationToAsk(state, place, declared) : undefined;
  const about = iteration === undefined ? {} : { iteration };
  const isPut = isPutWith(
    declared,
    placeOfQuestion({ ...state, gate: { checkpoint, ...about } }, place, declared),
  );
  const refusal = refuseWrite(state, navigator, { values: written, ...(isPut ? { asking } : {}) });
  if (refusal !== undefined) return { ok: false, refusal: isPut ? refusal : explained(refusal, asking) };
  const isOneOfSeveral = hasOtherItem(state, navigator, { place, asked: { ...asking, ...about } });
  const changed = isOneOfSeveral
    ? refuseWrite(state, navigator, {
        values: withListsBefore(state, navigator, { place, checkpoint: declared, written }),
      })
    : undefined;
  if (changed !== undefined) return { ok: false, refusal: heldByOther(changed, asking) };
  const held = heldBack(state, place, given.variables);
  if (held !== undefined) return held;
  if (isInLoop && iteration === undefined) return noIteration(place, declared);
  const { missing } = place;
  if (missing !== undefined && mayGive(state, navigator, missing)) return noItem(missing, declared);
  const problems = checkVariables(navigator, written);
  if (problems.length > 0 && [state.enforcement, enforcement].includes('strict')) {
    return refuse('INVALID_INPUT', problems.join(' '), { problems });
  }
  const event: SessionEvent = {
    type: 'checkpoint-yielded',
    activity,
    checkpoint,
    ...about,
    ...(hasFrozen(state, asking) ? { again: true } : {}),
    ...(gates === 'human' ? { approver: 'human' } : {}),
    ...given,
    ...(credential === undefined ? {} : { credential }),
  };
  return { ok: true, event, warnings: problems };
}

/**
 * Returns whether the condition of a checkpoint is true with the values of a call. If it is not, no answer is needed,
 * so the values of an earlier answer stay.
 */
function isPutWith({ condition }: SessionCheckpoint, { context }: ActivityPlan): boolean {
  return condition === undefined || evaluate(condition, context);
}

/** Explains, for a variable that the checkpoint itself froze, why asking again with these values does not help. */
function explained(refusal: Refusal, { checkpoint, activity }: AskedCheckpoint): Refusal {
  const { variable, rule, checkpoint_id: owner, activity_id: place } = refusal.data;
  if (rule !== 'frozen' || owner !== checkpoint || place !== activity) return refusal;
  const message = protectedVariables.conditionFalseAgain(String(variable), checkpoint);
  return { ...refusal, message, data: { ...refusal.data, reason: 'condition-not-met' } };
}

/**
 * Returns whether earlier answers about other items of a loop still count when a checkpoint is asked again. Rounds of a
 * loop over activities without a list are not items: such a loop asks about the same subject again.
 */
function hasOtherItem(
  state: SessionState,
  navigator: Navigator,
  {
    place,
    asked,
  }: {
    readonly place: ActivityPlan;
    readonly asked: AskedCheckpoint & Pick<AnsweredCheckpoint, 'iteration'>;
  },
): boolean {
  const item = itemOfQuestion({ ...state, gate: { ...asked, yieldedAt: '' } }, place);
  const inner = state.loops?.at(-1);
  const isOverList = navigator
    .openLoops(sessionPosition(state, navigator, {}))
    .some(({ activity, loop }) => activity === inner?.activity && loop === inner?.loop);
  return state.frozen
    .filter(({ checkpoint, activity }) => checkpoint === asked.checkpoint && activity === asked.activity)
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
  {
    place: { loops },
    checkpoint: declared,
    written,
  }: { readonly place: ActivityPlan; readonly checkpoint: SessionCheckpoint; readonly written: Values },
): Values {
  const around = loops.filter(({ steps }) => steps.some(({ checkpoint }) => checkpoint === declared.id));
  return [...around, ...navigator.openLoops(sessionPosition(state, navigator, {}))]
    .flatMap(({ over }) => (over === undefined ? [] : [[over], over.split('.')]))
    .reduce((values, path) => withPathBefore(values, state.variables, path), written);
}

function withPathBefore(values: Values, before: Values, [key = '', ...path]: readonly string[]): Values {
  const { [key]: now, ...others } = values;
  if (now === undefined) return values;
  const then = Object.hasOwn(before, key) ? before[key] : undefined;
  if (path.length === 0) return then === undefined ? others : { ...others, [key]: then };
  return isObject(now) && isObject(then) ? { ...others, [key]: withPathBefore(now, then, path) } : values;
}

function isObject(value: Json | undefined): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Explains why a variable that was shown with answers about other iterations stays as it is. */
function heldByOther(refusal: Refusal, { checkpoint, activity }: AskedCheckpoint): Refusal {
  const { variable, rule, checkpoint_id: owner, activity_id: place } = refusal.data;
  if (rule !== 'frozen' || owner !== checkpoint || place !== activity) return refusal;
  const message = protectedVariables.otherIteration(String(variable), checkpoint);
  return { ...refusal, message, data: { ...refusal.data, reason: 'other-iteration' } };
}

function hasFrozen({ frozen }: SessionState, { checkpoint, activity }: AskedCheckpoint): boolean {
  return frozen.some((one) => one.checkpoint === checkpoint && one.activity === activity);
}

/** Refuses values that would remove or change items of a list that a loop of the current activity runs over. */
function heldBack(
  { variables }: SessionState,
  place: ActivityPlan,
  given: Values = {},
): Decision<SessionEvent> | undefined {
  const { id: activity } = place;
  const lists = heldLists(place, { before: variables, given }) ?? {};
  const [first, ...others] = Object.keys(lists);
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
  const missing = own.flatMap((loop) => missingList(loop, context) ?? []).map(whatIsMissing);
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

function noItem(missing: MissingList, { id }: SessionCheckpoint): Decision<SessionEvent> {
  return refuse('INVALID_STATE', loopMessages.noItem(id, whatIsMissing(missing), missing.variable), {
    checkpoint_id: id,
    reason: 'no-iteration',
  });
}

function valuesOf(
  state: SessionState,
  navigator: Navigator,
  written: NonNullable<YieldCommand['variables']>,
): Pick<Extract<SessionEvent, { type: 'checkpoint-yielded' }>, 'variables' | 'setBy'> {
  if (Object.keys(written).length === 0) return {};
  const before = { ...state, guarded: guardedNames(state, navigator) };
  const variables = withModeDefaults(navigator, before, written);
  return { variables, ...authorsOf(variables, { acted: new Set(), written }) };
}
