import { rootOf } from '../root-of.ts';
import type { Circumstances } from './command.ts';
import { heldLists } from './loop-iterations.ts';
import type { Effect, Gate, Navigator, Place } from './navigator.ts';
import { isDecidedByPerson, isPersons, namedByPerson } from './open-checkpoints.ts';
import { changeOfShown } from './ownership.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { SessionState } from './session-state.ts';
import type { Values } from './variables.ts';
import { overlaps } from './variables.ts';

/** An answer under consideration. */
export interface GivenAnswer {
  readonly by: 'agent' | 'human';
  /** All that the answer sets: by its option, in place of what the answer before set, and by modes. */
  readonly values: Values;
  readonly effect: Effect | undefined;
  readonly gate: Gate;
  readonly place: Place;
  readonly at: Circumstances;
}

/**
 * Why an agent may not choose what undoes the decision of a person at another checkpoint, or takes items from the list
 * that a loop of the activity runs over.
 */
export function overrules(state: SessionState, answer: GivenAnswer): Refusal | undefined {
  if (answer.by !== 'agent') return undefined;
  return (
    setsDecided(state, answer) ??
    changesShown(state, answer) ??
    takesItems(state, answer) ??
    changesNext(state, answer)
  );
}

/** A variable that a person decided is set, though `set_by` does not name this checkpoint. */
function setsDecided(state: SessionState, { values, gate, at }: GivenAnswer): Refusal | undefined {
  for (const name of Object.keys(values)) {
    if (mayAnswerSet(at.navigator, name, gate)) continue;
    const owned = Object.entries(state.owners).find(
      ([other, owner]) => overlaps(other, name) && isDecidedByPerson(state, owner, at),
    );
    if (owned === undefined) continue;
    const [variable, { checkpoint, activity, sid }] = owned;
    const where = sid === undefined ? `in '${activity}'` : `of the parent session ${sid}`;
    return refuse(
      'VARIABLE_PROTECTED',
      `A person decided variable '${variable}' at checkpoint '${checkpoint}' ${where}, so an agent can't choose an option that sets it. ${instead(gate)}`,
      {
        variable,
        variables: [variable],
        rule: 'owned',
        checkpoint_id: checkpoint,
        activity_id: activity,
        ...(sid === undefined ? {} : { session_id: sid }),
      },
    ).refusal;
  }
  return undefined;
}

function mayAnswerSet({ variables }: Navigator, name: string, gate: Gate): boolean {
  const setBy = variables.find((one) => one.name === name)?.setBy ?? [];
  return setBy.includes(gate.id) || setBy.includes('agent');
}

/** A variable that the question of a person showed gets another value. */
function changesShown(state: SessionState, { values, gate, at }: GivenAnswer): Refusal | undefined {
  const shown = changeOfShown(state, values, (asked) => isPersons(state, asked, at));
  if (shown === undefined) return undefined;
  const { name: variable, checkpoint, activity } = shown;
  return refuse(
    'VARIABLE_PROTECTED',
    `Checkpoint '${checkpoint}' in '${activity}' showed variable '${variable}' when a person answered it, so an agent can't choose an option that changes it yet. ${instead(gate)}`,
    { variable, variables: [variable], rule: 'frozen', checkpoint_id: checkpoint, activity_id: activity },
  ).refusal;
}

/** The list of a loop loses items, or has others. A list that nobody set is only an example. */
function takesItems(state: SessionState, { values, gate, place }: GivenAnswer): Refusal | undefined {
  const { variables, assigned } = state;
  const context = { ...variables, ...values };
  const held = heldLists({ loops: place.loops, context }, { before: variables, given: values });
  const list = Object.keys(held ?? {}).find((over) => assigned.includes(rootOf(over)));
  if (list === undefined) return undefined;
  return refuse(
    'VARIABLE_PROTECTED',
    `A loop of '${place.id}' runs over '${list}', so an agent can't choose an option that takes items out of it or replaces them. ${instead(gate)}`,
    { variable: list, variables: [list], rule: 'loop' },
  ).refusal;
}

/** The option names the next activity in a visit in which a person answered, or skips the one that a person named. */
function changesNext(state: SessionState, { effect = {}, gate, at }: GivenAnswer): Refusal | undefined {
  const { transitionTo, skipActivities = [] } = effect;
  const decided = state.answered.findLast(
    (one) => one.answer.kind !== 'dismissed' && isPersons(state, one, at),
  );
  const named = namedByPerson(state, at);
  const isNaming = transitionTo !== undefined && decided !== undefined;
  if (!isNaming && (named === undefined || !skipActivities.includes(named))) return undefined;
  const what =
    named === undefined
      ? `A person answered checkpoint '${decided?.checkpoint ?? ''}'`
      : `A person decided that '${named}' is next`;
  return refuse(
    'HUMAN_REQUIRED',
    `${what}, so an agent can't choose an option that ${isNaming ? 'names the next activity' : 'skips it'}. ${instead(gate)}`,
    { checkpoint_id: gate.id, reason: 'decided' },
  ).refusal;
}

function instead({ id }: Gate): string {
  return `Let a person answer '${id}'; don't choose an option that nobody meant.`;
}
