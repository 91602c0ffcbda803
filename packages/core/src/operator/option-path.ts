import { fillTitle } from '../library/texts.ts';
import type { ActivityPlan, Navigator, SessionCheckpoint } from '../navigation/navigator.ts';
import { defaultTaken } from '../session/answer-checkpoint.ts';
import type { DecisionPolicy } from '../session/decide.ts';
import { sessionPosition, targetOf } from '../session/evaluate-move.ts';
import { answeredBy } from '../session/open-checkpoints.ts';
import { allSteps } from '../session/outputs/step-account.ts';
import { guardedNames } from '../session/ownership.ts';
import type { SessionState } from '../session/session-state.ts';
import { rootOf } from '../session/session-state.ts';

/** The activities that a session goes through after an answer, until somebody has to decide. */
export interface OptionPath {
  /** The first activities, in order: 6 at most. */
  readonly activities: readonly { readonly id: string; readonly name: string }[];
  /**
   * Why the path stops: its last activity asks or may ask at a checkpoint, the session ends, or the next activity is
   * not decided yet.
   */
  readonly stop: 'asks' | 'may-ask' | 'end' | 'open';
  /** The name of the checkpoint at which its last activity asks. */
  readonly checkpoint?: string;
}

const maxActivities = 6;

type PathPolicy = Pick<DecisionPolicy, 'gates' | 'autonomy'>;

/**
 * Returns the path of a session that moves from its current activity to `first`, as far as agents can't change it.
 * Returns `undefined` if an agent can change even its beginning.
 */
export function pathTo(
  first: string,
  state: SessionState,
  navigator: Navigator,
  policy: PathPolicy,
): OptionPath | undefined {
  const here = sessionPosition(state, navigator, {}, policy);
  const fixed = fixedNames(state, navigator);
  const acted = new Set<string>();
  if (state.current === undefined) return undefined;
  noteActions(acted, navigator, navigator.place(state.current, here));
  const isFixedHere = (name: string): boolean => fixed.now.has(rootOf(name)) && !acted.has(rootOf(name));
  if (state.expected === undefined && navigator.settledNext(state.current, here, isFixedHere) === undefined)
    return undefined;
  const activities: { id: string; name: string }[] = [];
  const seen = new Set<string>();
  for (let id = first; activities.length < maxActivities && !seen.has(id);) {
    seen.add(id);
    const place = navigator.place(id, here);
    if (!here.skipped.has(id)) {
      activities.push({ id, name: place.name });
      const stop = stopAt(place, policy);
      if (stop !== undefined) return { activities, ...stop };
    } else if (here.needed?.has(id) === true) break;
    noteActions(acted, navigator, place);
    const next = navigator.settledNext(
      id,
      here,
      (name) => fixed.later.has(rootOf(name)) && !acted.has(rootOf(name)),
    );
    if (next === undefined) break;
    const target = next.target === undefined ? undefined : targetOf(navigator, next.target, here);
    if (target?.kind !== 'activity') {
      const left = new Set([...here.completed, state.current, ...here.skipped, ...seen]);
      return { activities, stop: navigator.required.every((one) => left.has(one)) ? 'end' : 'open' };
    }
    id = target.id;
  }
  return { activities, stop: 'open' };
}

/** Returns the variables that agents can't change: in the current activity, and in any other. */
function fixedNames(
  state: SessionState,
  navigator: Navigator,
): { readonly now: ReadonlySet<string>; readonly later: ReadonlySet<string> } {
  const now = guardedNames(state, navigator);
  const reserved = navigator.variables.filter(({ setIn }) => setIn?.length === 0);
  return { now, later: new Set(reserved.map(({ name }) => name).filter((name) => now.has(name))) };
}

/** Adds the variables that an activity sets by itself. */
function noteActions(acted: Set<string>, navigator: Navigator, place: ActivityPlan): void {
  const sets = [
    ...navigator.sets(place.id, 'entry'),
    ...navigator.sets(place.id, 'exit'),
    ...allSteps(place).flatMap((step) => step.sets),
  ];
  for (const { name } of sets) acted.add(rootOf(name));
}

/**
 * Returns the question at which an activity stops, or `undefined` if it certainly asks nobody and no answer has an
 * effect.
 */
function stopAt(
  place: ActivityPlan,
  policy: PathPolicy,
): Pick<OptionPath, 'stop' | 'checkpoint'> | undefined {
  const asking = place.checkpoints.filter((checkpoint) => answeredBy(checkpoint, policy) !== 'agent');
  const certain = asking.find((checkpoint) => isCertain(checkpoint, place, policy));
  const [checkpoint = certain] = certain === undefined ? asking : [certain];
  if (checkpoint !== undefined) {
    const stop = certain === undefined ? 'may-ask' : 'asks';
    return { stop, checkpoint: fillTitle(checkpoint.name, place.context) };
  }
  const isDecision = place.checkpoints.some(({ options }) =>
    options.some(({ effect }) => effect !== undefined),
  );
  return isDecision ? { stop: 'open' } : undefined;
}

/**
 * Returns whether an activity certainly asks at a checkpoint: it can't be left without an answer, and the server does
 * not take the default option.
 */
function isCertain(declared: SessionCheckpoint, { steps }: ActivityPlan, policy: PathPolicy): boolean {
  if (declared.condition !== undefined || defaultTaken(declared, policy) !== undefined) return false;
  return steps.some(
    ({ checkpoint, isOptional, conditions }) =>
      checkpoint === declared.id && !isOptional && conditions.length === 0,
  );
}
