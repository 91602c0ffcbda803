import type { Context } from '@workflowlookup/conditions';
import type { ActivityWorkflow } from '@workflowlookup/schema';
import { defined, initialActivityOf, unlessEmpty } from '@workflowlookup/schema';
import { setters } from '../session/ownership.ts';
import type { CompiledLoop, CompiledActivity } from './compile-workflow.ts';
import { compileActivity, compileCondition } from './compile-workflow.ts';
import type {
  Frontier,
  Mode,
  Navigator,
  ActivityPlan,
  SessionPosition,
  CandidateTransition,
  TransitionOrigin,
} from './navigator.ts';
import {
  asksAgain,
  decidingIn,
  passedInGraph,
  personsCheckpointOf,
  readBeforeReturn,
  sendsInGraph,
  reachedWithout,
} from './passed-checkpoints.ts';
import type { Graph, PositionInLoops } from './transitions.ts';
import {
  cached,
  closedAt,
  movesFrom,
  movesPast,
  settledNext,
  reachabilityOf,
  targetsOf,
  hasTransitions,
  homesOf,
  isRunOf,
  laterIn,
  loopsWith,
  ownTargets,
  reachedFrom,
  iterationsBegun,
  writtenTargets,
} from './transitions.ts';
import { transitionTexts } from '../messages/sessions.ts';
import { begins } from '../session/outputs/loop-iterations.ts';
import type { RunningLoop } from '../session/session-event.ts';

/**
 * Navigates an activity workflow: a graph of activities joined by decisions and transitions.
 *
 * @throws WorkflowError INVALID_WORKFLOW for a condition that the checks of reading would have refused
 * @see docs/sessions.md#activity-workflows
 */
export function graphNavigator(workflow: ActivityWorkflow): Navigator {
  const { id, digest, definition, activities, problems } = workflow;
  const written: Graph = new Map(activities.map((part) => [part.id, compileActivity(part.definition)]));
  const repeated = new Set(
    activities.flatMap((part) => (part.definition.loops ?? []).flatMap((loop) => loop.activities ?? [])),
  );
  const initial = initialActivityOf(workflow);
  const bodies = cached((host: string) => bodyOf(written, initial, host));
  const graph = withEnds(written, bodies);
  const leadsTo = reachabilityOf(graph);
  const modes = (definition.modes ?? []).map(compileMode);
  const isAskedAgain = asksAgain(graph, modes);
  const entries = definition.initialActivity === undefined ? entriesOf(graph) : [];
  const known = { graph, leads: leadsTo, initial, entries, deciding: decidingIn(graph, modes) };
  return {
    workflow: { id, version: definition.version, title: definition.title, digest },
    enforcement: definition.enforcement ?? 'advisory',
    variables: declaredIn(workflow),
    modes,
    required: activities.filter((part) => part.definition.required === true).map((part) => part.id),
    ...(definition.initialActivity === undefined && { entries }),
    find: (name) => (graph.has(name) ? name : undefined),
    absence(activityId) {
      const broken = problems.find(({ kind, id: part }) => kind === 'activity' && part === activityId);
      return broken && transitionTexts.broken(activityId, broken.file, broken.issues[0]?.message);
    },
    ahead(at) {
      const ahead = aheadOf(graph, initial, inLoops(at));
      return { ...ahead, moves: iterationsFirst(graph, bodies, ahead.moves, at) };
    },
    past(activityId, at) {
      const moves = movesPast(graph, activityId, inLoops(at));
      return iterationsFirst(graph, bodies, moves, at);
    },
    settledNext: (activityId, { variables }, isFixed) => settledNext(graph, activityId, variables, isFixed),
    place(activityId, { variables }) {
      const around = repeated.size === 0 ? [] : loopsAround(graph, bodies, activityId);
      return placeOf(graph, activityId, variables, around);
    },
    leadsTo(from, to, at) {
      if (at === undefined || repeated.size === 0 || !leadsTo(from, to)) return leadsTo(from, to);
      const here = inLoops(at);
      const move = aheadOf(graph, initial, here).moves.find(({ holds, target }) => holds && target === from);
      const loops = move === undefined ? here.loops : loopsAfter(here.loops, bodies, at.current, from, move);
      return leadsInLoops(graph, bodies, from, to, { ...at, loops });
    },
    asksAgain: isAskedAgain,
    awaits: () => undefined,
    readBeforeReturn: readBeforeReturn(graph, leadsTo, modes),
    personsCheckpoint(activityId, gates) {
      const activity = graph.get(activityId);
      return activity && personsCheckpointOf(activity, gates);
    },
    sendsToPerson: sendsInGraph(known),
    passedBy: passedInGraph(known),
    loopsAt: ({ loops = [] }) => (repeated.size === 0 ? undefined : loops),
    loopsAfter: ({ current: from, loops = [] }, to, move) =>
      repeated.size === 0 ? undefined : loopsAfter(loops, bodies, from, to, move),
    openLoops: ({ loops = [] }) =>
      loops.flatMap(({ activity, loop }) => {
        const { type, over, variable } = graph.get(activity)?.loops.find((one) => one.id === loop) ?? {};
        if (type !== 'forEach' || over === undefined) return [];
        return [defined({ activity, loop, over, kind: 'list', variable })];
      }),
    sets: (activityId, moment) => graph.get(activityId)?.[moment] ?? [],
  };
}

/**
 * Returns the variables of a workflow. The list that a loop over steps runs over counts even if it is not declared,
 * because the loop can't run before it is set. A workflow that declares no variables accepts any.
 */
function declaredIn({ definition, activities }: ActivityWorkflow): Navigator['variables'] {
  const checkpoints = new Set(
    activities.flatMap((part) => (part.definition.checkpoints ?? []).map((one) => one.id)),
  );
  const declared = (definition.variables ?? []).map(({ name, type, defaultValue: value, set_by: setBy }) => ({
    name,
    type,
    ...defined({ value }),
    ...setters(setBy, checkpoints),
  }));
  if (declared.length === 0) return declared;
  const names = new Set(declared.map(({ name }) => name));
  const lists = activities
    .flatMap((part) => part.definition.loops ?? [])
    .flatMap(({ type, steps = [], over }) =>
      type === 'forEach' && steps.length > 0 && over !== undefined ? [over.split('.')] : [],
    )
    .map(([name = '', ...path]) => [name, path.length === 0 ? 'array' : 'object'] as const)
    .filter(([name]) => !names.has(name));
  return [...declared, ...[...new Map(lists)].map(([name, type]) => ({ name, type }))];
}

function compileMode(mode: NonNullable<ActivityWorkflow['definition']['modes']>[number]): Mode {
  return {
    id: mode.id,
    variable: mode.activationVariable,
    activation: compileCondition({ var: mode.activationVariable, equals: true }),
    skipActivities: mode.skipActivities ?? [],
    defaults: mode.defaults ?? {},
  };
}

/** Returns the first activity, and those that no other activity leads to. */
function entriesOf(graph: Graph): readonly string[] {
  const ids = [...graph.keys()];
  const reached = new Set(ids.flatMap((id) => targetsOf(graph, id).filter((target) => target !== id)));
  return ids.filter((id, at) => at === 0 || !reached.has(id));
}

function inLoops(at: SessionPosition): PositionInLoops {
  return { ...at, loops: at.loops ?? [] };
}

function aheadOf(graph: Graph, initial: string | undefined, at: PositionInLoops): Frontier {
  if (at.current !== undefined) {
    const moves = movesFrom(graph, at.current, at);
    return { moves, ...defined({ closedAt: closedAt(graph, at.current, at) }), remarks: [] };
  }
  if (initial === undefined) return { moves: [], obstacle: transitionTexts.noActivity(), remarks: [] };
  const start = { target: initial, when: transitionTexts.initial(), holds: true, undecided: [], sets: [] };
  return { moves: [start], remarks: [] };
}

function placeOf(
  graph: Graph,
  id: string,
  variables: Context,
  around: readonly CompiledLoop[],
): ActivityPlan {
  const { name = id, steps = [], checkpoints = [], loops = [] } = graph.get(id) ?? {};
  return {
    id,
    name,
    steps,
    checkpoints,
    loops,
    context: variables,
    ...(checkpoints.length > 0 && defined({ around: unlessEmpty(around) })),
    ...(around.length > 0 && { isRepeated: true }),
  };
}

/** Returns the loops over activities that an activity belongs to, also those around the loops that name it. */
function loopsAround(graph: Graph, bodies: Bodies, id: string): readonly CompiledLoop[] {
  return [...graph].flatMap(([host, activity]) => {
    const loops = activity.loops.filter(({ activities }) => activities.length > 0);
    const own = loops.filter(({ activities }) => activities.includes(id));
    if (own.length > 0) return own;
    return loops.length > 0 && bodies(host).has(id) ? loops : [];
  });
}

/** Returns the activities that belong to the loops of a host. */
type Bodies = (host: string) => ReadonlySet<string>;

/**
 * The loops that a session is in after a move. It stays in a loop along the loop's own moves, and along the transitions of
 * the loop's activities to each other and back to the host. Any other move leaves the loop: the next entry begins with the
 * first iteration.
 *
 * @see docs/sessions.md#loops-over-activities
 */
function loopsAfter(
  running: readonly RunningLoop[],
  bodies: Bodies,
  from: string | undefined,
  to: string,
  move: Pick<CandidateTransition, 'from'> | undefined,
): readonly RunningLoop[] {
  const { activity: origin = from, loop, beginsIteration } = move?.from ?? {};
  const goesOn = (host: string): boolean => {
    if (loop !== undefined && origin === host) return true;
    const body = bodies(host);
    return origin !== undefined && body.has(origin) && (to === host || body.has(to));
  };
  const kept = running.filter(({ activity }) => goesOn(activity));
  if (beginsIteration !== true || origin === undefined || loop === undefined) return kept;
  const others = kept.filter((one) => one.activity !== origin || one.loop !== loop);
  return [...others, { activity: origin, loop, rounds: iterationsBegun(kept, origin, loop) + 1 }];
}

/** An activity that a session may reach, with the loops it is in there. */
interface GraphPosition {
  readonly id: string;
  readonly loops: readonly RunningLoop[];
}

/**
 * Returns whether one activity can be reached from another for a session in these loops. A running loop without
 * iterations left leads to none of its activities until the session has left it.
 */
function leadsInLoops(graph: Graph, bodies: Bodies, from: string, to: string, at: PositionInLoops): boolean {
  const positions = new Map([['', { id: from, loops: at.loops }]]);
  for (const position of positions.values()) {
    if (position.id === to) return true;
    for (const next of positionsAfter(graph, bodies, position, at)) positions.set(JSON.stringify(next), next);
  }
  return false;
}

/**
 * Returns the activities that can come next, whatever the conditions. If an activity has no transitions, those of its
 * host can be taken; `passed` has the activities for which the host is searched.
 */
function positionsAfter(
  graph: Graph,
  bodies: Bodies,
  { id, loops }: GraphPosition,
  at: PositionInLoops,
  passed: readonly string[] = [],
): readonly GraphPosition[] {
  const activity = graph.get(id);
  if (activity === undefined || passed.includes(id)) return [];
  const position = (to: string, from?: TransitionOrigin): GraphPosition => {
    return { id: to, loops: loopsAfter(loops, bodies, id, to, from && { from }) };
  };
  const hasIteration = (loop: CompiledLoop): boolean => {
    const isRunning = loops.some((run) => isRunOf(run, { host: id, loop }));
    return !isRunning || begins(loop, iterationsBegun(loops, id, loop.id), at.variables);
  };
  const own = passed.length === 0 ? ownTargets(activity) : writtenTargets(activity);
  const next = [
    ...own.map((to) => position(to)),
    ...activity.loops
      .filter(hasIteration)
      .flatMap((loop) => loop.activities.map((to) => position(to, { activity: id, loop: loop.id }))),
  ];
  if (hasTransitions(activity)) return next;
  return [
    ...next,
    ...homesOf(graph, id, loops).flatMap(({ host, loop }) => [
      ...(laterIn(loop, id) ?? []).map((to) => position(to, { activity: host, loop: loop.id })),
      ...positionsAfter(graph, bodies, { id: host, loops }, at, [...passed, id]),
    ]),
  ];
}

/**
 * The activities that belong to the loops of a host: those the loops name, those of their own loops, and those that can't
 * be reached without going through one of these.
 */
function bodyOf(graph: Graph, initial: string | undefined, host: string): ReadonlySet<string> {
  const members = insideOf(graph, host);
  const stops = new Set([...members, host]);
  const reached = (from: readonly string[]): ReadonlySet<string> =>
    reachedFrom(
      graph,
      from.filter((id) => !stops.has(id)),
      stops,
    );
  const outside = reached([...(initial === undefined ? [] : [initial]), ...targetsOf(graph, host)]);
  const behind = reached([...members].flatMap((id) => targetsOf(graph, id)));
  return new Set([...members, ...[...behind].filter((id) => !outside.has(id))]);
}

/**
 * Returns a graph whose loops know their ends: the activities without transitions that belong to a loop which does not
 * name them. The loop continues after them as after the activity that leads there.
 */
function withEnds(graph: Graph, bodies: Bodies): Graph {
  const last = [...graph].flatMap(([id, activity]) =>
    hasTransitions(activity) || loopsWith(graph, id).length > 0 ? [] : [id],
  );
  const endsOf = (
    host: string,
    { activities }: CompiledLoop,
  ): readonly (readonly [string, string | undefined])[] =>
    last.flatMap((id) => {
      // A loop around the host continues with iterations of its own. As an end it would begin this loop again without a
      // bound.
      if (!bodies(host).has(id) || insideOf(graph, id).has(host)) return [];
      const stops = [host, ...insideOf(graph, host)];
      const leading = stops.filter((member) => reachedWithout(graph, member, ...stops).includes(id));
      if (!leading.some((member) => activities.includes(member))) return [];
      return [[id, leading.length === 1 ? leading[0] : undefined]];
    });
  return new Map(
    [...graph].map(([host, activity]) => {
      const loops = activity.loops.map((loop) => {
        const ends = loop.activities.length === 0 ? [] : endsOf(host, loop);
        return ends.length === 0 ? loop : { ...loop, ends: new Map(ends) };
      });
      return [host, { ...activity, loops }];
    }),
  );
}

/** The activities that the loops of a host name, and those that their own loops name. */
function insideOf(graph: Graph, host: string): ReadonlySet<string> {
  const members = new Set(membersOf(graph.get(host)));
  for (const id of members) for (const inner of membersOf(graph.get(id))) members.add(inner);
  members.delete(host);
  return members;
}

function membersOf(activity: CompiledActivity | undefined): readonly string[] {
  return activity?.loops.flatMap(({ activities }) => activities) ?? [];
}

type LoopOrigin = Required<Pick<TransitionOrigin, 'activity' | 'loop'>>;

/**
 * Closes the later loops, the decisions and the transitions of an activity while one of its loops has an iteration left
 * in which a person could be asked: an agent could otherwise name one of them and pass the questions of that iteration.
 *
 * @see docs/sessions.md#loops-over-activities
 */
function iterationsFirst(
  graph: Graph,
  bodies: Bodies,
  moves: readonly CandidateTransition[],
  at: SessionPosition,
): readonly CandidateTransition[] {
  const left = moves.flatMap(({ holds, from }, position) => {
    if (!holds || from?.loop === undefined || from.beginsIteration !== true) return [];
    const origin = { activity: from.activity, loop: from.loop };
    return mayAsk(graph, bodies, origin, at) ? [{ origin, position }] : [];
  });
  if (left.length === 0) return moves;
  return moves.map((move, position) => {
    const { holds, from: { activity = at.current, loop, beginsIteration } = {} } = move;
    if (!holds || (loop !== undefined && beginsIteration !== true)) return move;
    const before = left.find((one) => one.origin.activity === activity && one.position < position)?.origin;
    return before === undefined ? move : { ...move, holds: false, before };
  });
}

/** Returns whether a person could be asked in an iteration of a loop. */
function mayAsk(
  graph: Graph,
  bodies: Bodies,
  { activity: host, loop }: LoopOrigin,
  at: SessionPosition,
): boolean {
  const { loops = [] } = graph.get(host) ?? {};
  const members = loops.find(({ id }) => id === loop)?.activities ?? [];
  const others = loops.flatMap(({ activities }) => activities).filter((id) => !members.includes(id));
  const body = bodies(host);
  return members
    .flatMap((member) => reachedWithout(graph, member, host, ...others))
    .some((id) => {
      const activity = graph.get(id);
      if (activity === undefined || !body.has(id) || at.skipped.has(id)) return false;
      return personsCheckpointOf(activity, at.gates ?? 'declared') !== undefined;
    });
}
