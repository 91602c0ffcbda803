import { lookUp } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import {
  accountForSteps,
  allSteps,
  answersTo,
  evaluateMove,
  isSentBack,
  rootOf,
  unnamedCheckpoints,
  withModeDefaults,
  endKeyword,
  nextCalls,
  sessionPosition,
} from '@workflowlookup/core/decisions';
import type { NextCall } from '@workflowlookup/core';
import type {
  SessionCheckpoint,
  Navigator,
  ActivityPlan,
  SessionCommand,
  SessionState,
} from '@workflowlookup/core/decisions';
import type { ManifestEntry } from '@workflowlookup/core/sessions';
import { stops } from '../messages.ts';
import { namesRead } from './variable-values.ts';
import type { StateTransition } from '../unstored-session.ts';
import { carryOut, startUnstored } from '../unstored-session.ts';
import type { RelevantPart, SymbolicState, StateGraph } from './state-graph.ts';
import type { Setters } from './problems.ts';
import type { Domains } from './variable-values.ts';

/** All states that were found, with their successors. */
export interface SearchResult {
  readonly states: readonly SymbolicState[];
  /** For each state the indexes of its successors. */
  readonly next: readonly (readonly number[])[];
  readonly isWhole: boolean;
}

/** The variables that may have any value, before and after a transition. */
interface Freedom {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

interface SearchTools {
  readonly domains: Domains;
  readonly setters: Setters;
  readonly maxStates: number;
  /** Called for every transition, with the free variables before and after it. */
  readonly onTransition: (transition: StateTransition, free: Freedom) => void;
}

/**
 * Visits every state that a session can reach exactly once. A variable that agents may have set is free until something
 * reads it. The search then continues with each of its possible values.
 */
export function searchStates(stateGraph: StateGraph, tools: SearchTools): SearchResult {
  const { domains, setters, maxStates, onTransition } = tools;
  const states: SymbolicState[] = [];
  const next: number[][] = [];
  // For each state the names that may still be read. Other names need no value.
  const counting: ReadonlySet<string>[] = [];
  const numbers = new Map<string, number>();
  const open: number[] = [];

  function numberOf(symbolic: SymbolicState): number {
    const relevant = stateGraph.relevantPartOf(symbolic, setters.at);
    const key = keyOf(symbolic, relevant, stateGraph, domains);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, states.length);
    open.push(states.length);
    next.push([]);
    counting.push(relevant.names);
    return states.push(symbolic) - 1;
  }

  numberOf(startOf(stateGraph, setters));
  while (open.length > 0 && states.length < maxStates) {
    const from = open.pop() ?? 0;
    const symbolic = states[from];
    if (symbolic === undefined || symbolic.state.status === 'completed') continue;
    const name = firstFree(stateGraph, symbolic, counting[from]);
    const following =
      name === undefined
        ? moveOn(stateGraph, symbolic, setters, onTransition)
        : domains.valuesOf(name).flatMap((value) => settle(stateGraph.navigator, symbolic, [name, value]));
    for (const one of following) next[from]?.push(numberOf(one));
  }
  return { states, next, isWhole: open.length === 0 };
}

function firstFree(
  stateGraph: StateGraph,
  symbolic: SymbolicState,
  counting: ReadonlySet<string> = new Set(),
): string | undefined {
  for (const name of stateGraph.reads(symbolic))
    if (symbolic.free.has(name) && counting.has(name)) return name;
  return undefined;
}

function startOf({ navigator }: StateGraph, { given }: Setters): SymbolicState {
  return { state: startUnstored(navigator, { enforcement: 'strict' }), free: given };
}

function moveOn(
  stateGraph: StateGraph,
  { state, free }: SymbolicState,
  setters: Setters,
  onTransition: SearchTools['onTransition'],
): readonly SymbolicState[] {
  const following: SymbolicState[] = [];
  for (const transition of transitionsFrom(stateGraph.navigator, state)) {
    const symbolic = arrive(stateGraph, transition, setters, free);
    onTransition(transition, { before: free, after: symbolic.free });
    following.push(symbolic);
  }
  return following;
}

/**
 * Returns the state after a transition. Variables that the transition sets are no longer free. Variables that the texts
 * of the new activity ask to set become free.
 */
function arrive(
  stateGraph: StateGraph,
  { event, after }: StateTransition,
  setters: Setters,
  free: SymbolicState['free'],
): SymbolicState {
  const set = new Set(Object.keys('variables' in event ? event.variables : {}));
  const left = [...free].filter((name) => !set.has(rootOf(name)));
  const fresh = event.type === 'activity-entered' ? setters.at(stateGraph.siteOf(event.activity)) : [];
  const isStale = (name: string): boolean => !set.has(name) && set.has(rootOf(name));
  const kept = Object.entries(after.variables).filter(([name]) => !isStale(name));
  return { state: { ...after, variables: Object.fromEntries(kept) }, free: new Set([...left, ...fresh]) };
}

/**
 * Gives a free variable a value, which may activate a mode and its defaults. If the variable already has that value, it
 * may also stay unchanged. The two cases differ in who set the variable, which decides what a mode skips.
 */
function settle(
  navigator: Navigator,
  { state, free }: SymbolicState,
  [name, value]: readonly [string, Json],
): readonly SymbolicState[] {
  const left = new Set([...free].filter((other) => other !== name));
  const values = withModeDefaults(navigator, state, { [name]: value });
  const { revision } = state;
  const origins = Object.keys(values).map(
    (one) => [one, { by: one === name ? 'agent' : 'mode', revision }] as const,
  );
  const written: SymbolicState = {
    state: {
      ...state,
      variables: { ...state.variables, ...values },
      assigned: [...new Set([...state.assigned, ...Object.keys(values)])],
      origins: { ...state.origins, ...Object.fromEntries(origins) },
    },
    free: left,
  };
  const isThere = JSON.stringify(lookUp(state.variables, name)) === JSON.stringify(value);
  return isThere ? [written, { state, free: left }] : [written];
}

/** Returns the key of a state. Two states with the same key have the same future. */
function keyOf(
  { state, free }: SymbolicState,
  { progress, names }: RelevantPart,
  stateGraph: StateGraph,
  domains: Domains,
): string {
  if (state.status === 'completed') return 'completed';
  return JSON.stringify([
    progress,
    state.gate?.checkpoint,
    answeredCheckpoints(stateGraph.navigator, state),
    [...domains.names].map((name) => {
      if (!names.has(name)) return 0;
      return free.has(name) ? 1 : [lookUp(state.variables, name)];
    }),
  ]);
}

/** Yields every transition that an agent or a person can cause from a state, with work that is accepted. */
function* transitionsFrom(navigator: Navigator, before: SessionState): Generator<StateTransition> {
  for (const command of commandsAt(navigator, before)) {
    const done = carryOut(navigator, before, command);
    if (!('refusal' in done)) yield done;
  }
}

/** Returns why no transition is possible from a state. */
export function reasonOfStop(navigator: Navigator, state: SessionState): string {
  return refusalsOf(commandsAt(navigator, state), navigator, state)[0] ?? stops.noCall;
}

/** Returns why a state can't be left although no checkpoint is open: the first refusal, if every move is refused. */
export function reasonToStay(navigator: Navigator, state: SessionState): string | undefined {
  const { work } = evaluateMove(state, { kind: 'move' }, navigator);
  if (work === undefined || work.openCheckpoints.length > 0) return undefined;
  const moves = commandsAt(navigator, state).filter(({ kind }) => kind === 'move');
  const refused = refusalsOf(moves, navigator, state);
  return refused.length < moves.length ? undefined : refused[0];
}

function refusalsOf(
  commands: readonly SessionCommand[],
  navigator: Navigator,
  state: SessionState,
): readonly string[] {
  return commands.flatMap((command) => {
    const done = carryOut(navigator, state, command);
    return 'refusal' in done ? [done.refusal.message] : [];
  });
}

function commandsAt(navigator: Navigator, state: SessionState): readonly SessionCommand[] {
  const calls = nextCalls(state, navigator, 'declared');
  const checkpoints = calls.flatMap((call) => (call.kind === 'yield' ? call.checkpoint : []));
  const yielded = new Set(checkpointsInTurn(navigator, state, checkpoints));
  const inTurn = calls.filter((call) => call.kind !== 'yield' || yielded.has(call.checkpoint));
  return inTurn.flatMap((call) => commandsFor(call, navigator, state));
}

function commandsFor(call: NextCall, navigator: Navigator, state: SessionState): readonly SessionCommand[] {
  switch (call.kind) {
    case 'answer':
      return call.options.map((option) => ({
        kind: 'answer',
        mode: { kind: 'option', option },
        by: 'human',
        // Some options require a note.
        note: 'Explored.',
      }));
    case 'yield':
      return [{ kind: 'yield', checkpointId: call.checkpoint }];
    case 'move':
      return movesFor(call, navigator, state);
    case 'present':
    case 'collect':
    case 'read-activity':
      return [];
  }
}

function movesFor(
  { activity, undecided }: Extract<NextCall, { kind: 'move' }>,
  navigator: Navigator,
  state: SessionState,
): readonly SessionCommand[] {
  const here = sessionPosition(state, navigator);
  const target = activity ?? (undecided === undefined ? undefined : endKeyword(navigator, here));
  const named = target === undefined ? {} : { activityId: target };
  if (state.current === undefined) return [{ kind: 'move', ...named }];
  const place = navigator.place(state.current, here);
  return manifestsOf(place).map((manifest) => ({ kind: 'move', ...named, manifest }));
}

/** Returns the manifest of the required steps and, if there are optional ones, the manifest of all. */
function manifestsOf(place: ActivityPlan): readonly (readonly ManifestEntry[])[] {
  const { required, open } = accountForSteps(place);
  const least = required.map(({ id }) => id);
  const all = open.map(({ id }) => id);
  // A loop with a condition may have had an iteration before the condition ended it.
  const once = place.loops
    .filter(({ id, type }) => type !== 'forEach' && !all.some((name) => name.startsWith(`${id}@`)))
    .flatMap(({ id, steps }) => steps.map((step) => `${id}@0::${step.id}`));
  const most = [...all, ...once];
  return most.length === least.length ? [manifestOf(least)] : [manifestOf(least), manifestOf(most)];
}

function manifestOf(ids: readonly string[]): readonly ManifestEntry[] {
  return ids.map((id) => ({ step_id: id, output: 'Done.' }));
}

/**
 * Returns the checkpoints to yield next. If no answer affects another checkpoint, it is enough to try one order: first
 * those that must be yielded, then the optional ones that come after the last one answered.
 */
function checkpointsInTurn(
  navigator: Navigator,
  state: SessionState,
  offered: readonly string[],
): readonly string[] {
  const place = placeOf(navigator, state);
  if (offered.length < 2 || place === undefined || !isCalm(place)) return offered;
  const voluntary = voluntaryCheckpoints(place).map(({ id }) => id);
  const due = offered.find((id) => !voluntary.includes(id));
  if (due !== undefined) return [due];
  const last = voluntary.findLastIndex((id) => state.answered.some(({ checkpoint }) => checkpoint === id));
  return offered.filter((id) => voluntary.indexOf(id) > last);
}

/**
 * Returns the answered checkpoints that can still affect what follows. The effects of their answers are in the
 * variables. An answer that sent the work back does not count.
 */
function answeredCheckpoints(navigator: Navigator, state: SessionState): unknown {
  const place = state.answered.length === 0 ? undefined : placeOf(navigator, state);
  if (place === undefined) return [];
  const { answered } = state;
  const all = place.checkpoints.filter(
    (declared) =>
      answered.some(({ checkpoint }) => checkpoint === declared.id) && !isSentBack(declared, answered),
  );
  const voluntary = isCalm(place) ? voluntaryCheckpoints(place) : [];
  const counting = all.filter((checkpoint) => !voluntary.includes(checkpoint));
  const last = all.findLast((checkpoint) => voluntary.includes(checkpoint));
  const inLoops = new Set(place.loops.flatMap(({ steps }) => steps.map(({ checkpoint }) => checkpoint)));
  return [...counting, ...(last === undefined ? [] : [last])].map((checkpoint) =>
    inLoops.has(checkpoint.id) ? [checkpoint.id, answersTo(checkpoint, answered)] : checkpoint.id,
  );
}

function placeOf(navigator: Navigator, state: SessionState): ActivityPlan | undefined {
  return state.current === undefined
    ? undefined
    : navigator.place(state.current, sessionPosition(state, navigator));
}

/** Checkpoints that need not be yielded, in their order. */
function voluntaryCheckpoints(place: ActivityPlan): readonly SessionCheckpoint[] {
  return unnamedCheckpoints(place).filter(({ approver }) => approver !== 'human');
}

/** Returns whether no answer decides which checkpoints are asked, and no answer undoes another. */
function isCalm(place: ActivityPlan): boolean {
  const { checkpoints } = place;
  const steps = allSteps(place);
  const effects = checkpoints.map(({ options }) => options.flatMap(({ effect }) => effect ?? []));
  const set = effects.map((own) => new Set(own.flatMap(({ setVariable = {} }) => Object.keys(setVariable))));
  const names = set.flatMap((own) => [...own]);
  const leading = checkpoints.filter(({ options }) =>
    options.some(({ effect }) => effect?.transitionTo !== undefined),
  );
  // A person's answer cancels the next activity that an agent's answer named before.
  const mayDrop =
    checkpoints.some(({ approver }) => approver === 'human') &&
    leading.some(({ approver }) => approver !== 'human');
  const conditions = [
    ...checkpoints.flatMap(({ condition }) => condition ?? []),
    ...steps.filter(({ checkpoint }) => checkpoint !== undefined).flatMap((step) => step.conditions),
  ];
  const read = namesRead(conditions);
  return (
    leading.length < 2 &&
    !mayDrop &&
    new Set(names).size === names.length &&
    !read.some((name) => names.includes(name))
  );
}
