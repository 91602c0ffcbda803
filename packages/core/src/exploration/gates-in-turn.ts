import { allSteps, unnamedGates } from '../session/account-for.ts';
import type { Gate, Navigator, Place } from '../session/navigator.ts';
import { answersTo, isSentBack } from '../session/open-checkpoints.ts';
import type { SessionState } from '../session/session-state.ts';
import { whereabouts } from '../session/whereabouts.ts';
import { namesRead } from './comparisons.ts';

/**
 * Of the checkpoints that may be yielded those whose turn it is. Where no answer bears on another, one order stands for
 * all: the first that must be yielded, else those behind the last one that was.
 */
export function gatesInTurn(
  navigator: Navigator,
  state: SessionState,
  offered: readonly string[],
): readonly string[] {
  const place = placeOf(navigator, state);
  if (offered.length < 2 || place === undefined || !isCalm(place)) return offered;
  const voluntary = voluntaryGates(place).map(({ id }) => id);
  const due = offered.find((id) => !voluntary.includes(id));
  if (due !== undefined) return [due];
  const last = voluntary.findLastIndex((id) => state.answered.some(({ checkpoint }) => checkpoint === id));
  return offered.filter((id) => voluntary.indexOf(id) > last);
}

/**
 * Which checkpoints are answered, as far as that decides what may follow; how they are shows in the variables. An answer
 * that sent the work back is as good as none.
 */
export function answeredGates(navigator: Navigator, state: SessionState): unknown {
  const place = state.answered.length === 0 ? undefined : placeOf(navigator, state);
  if (place === undefined) return [];
  const { answered } = state;
  const all = place.gates.filter(
    (gate) => answered.some(({ checkpoint }) => checkpoint === gate.id) && !isSentBack(gate, answered),
  );
  const voluntary = isCalm(place) ? voluntaryGates(place) : [];
  const counting = all.filter((gate) => !voluntary.includes(gate));
  const last = all.findLast((gate) => voluntary.includes(gate));
  const inLoops = new Set(place.loops.flatMap(({ steps }) => steps.map(({ checkpoint }) => checkpoint)));
  return [...counting, ...(last === undefined ? [] : [last])].map((gate) =>
    inLoops.has(gate.id) ? [gate.id, answersTo(gate, answered)] : gate.id,
  );
}

function placeOf(navigator: Navigator, state: SessionState): Place | undefined {
  return state.current === undefined
    ? undefined
    : navigator.place(state.current, whereabouts(state, navigator));
}

/** Checkpoints that need not be yielded, in their order. */
function voluntaryGates(place: Place): readonly Gate[] {
  return unnamedGates(place).filter(({ approver }) => approver !== 'human');
}

/** Whether no answer decides which checkpoints are asked, and none takes back what another did. */
function isCalm(place: Place): boolean {
  const { gates } = place;
  const steps = allSteps(place);
  const effects = gates.map(({ options }) => options.flatMap(({ effect }) => effect ?? []));
  const set = effects.map((own) => new Set(own.flatMap(({ setVariable = {} }) => Object.keys(setVariable))));
  const names = set.flatMap((own) => [...own]);
  const leading = gates.filter(({ options }) =>
    options.some(({ effect }) => effect?.transitionTo !== undefined),
  );
  // The answer of a person drops the next activity that an agent named before.
  const mayDrop =
    gates.some(({ approver }) => approver === 'human') &&
    leading.some(({ approver }) => approver !== 'human');
  const conditions = [
    ...gates.flatMap(({ condition }) => condition ?? []),
    ...steps.filter(({ checkpoint }) => checkpoint !== undefined).flatMap((step) => step.conditions),
  ];
  const read = namesRead(conditions.map((condition) => ({ condition })));
  return (
    leading.length < 2 &&
    !mayDrop &&
    new Set(names).size === names.length &&
    !read.some((name) => names.includes(name))
  );
}
