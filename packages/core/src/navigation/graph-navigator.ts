import type { ActivityWorkflow } from '@workflowlookup/schema';
import { initialActivityOf } from '@workflowlookup/schema';
import { setters } from '../session/ownership.ts';
import type { Bodies } from './activity-loops.ts';
import {
  bodiesIn,
  leadsInRounds,
  loopsAfter,
  roundsFirst,
  runningLoops,
  withEnds,
} from './activity-loops.ts';
import type { CompiledLoop } from './compile-activity.ts';
import { compileActivity, compileCondition } from './compile-activity.ts';
import type { Frontier, Mode, Navigator, ActivityPlan, SessionPosition } from './navigator.ts';
import {
  asksAgain,
  decidingIn,
  passedInGraph,
  personsCheckpointOf,
  readOnWayBack,
  sendsInGraph,
} from './passed-checkpoints.ts';
import type { Graph, PositionInLoops } from './transitions.ts';
import { closedAt, movesFrom, movesPast, reachabilityOf, targetsOf } from './transitions.ts';
import { transitionTexts } from '../messages/sessions.ts';

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
  const bodies = bodiesIn(written, initial);
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
    ...(definition.initialActivity === undefined ? { entries } : {}),
    find: (name) => (graph.has(name) ? name : undefined),
    absence(activityId) {
      const broken = problems.find(({ kind, id: part }) => kind === 'activity' && part === activityId);
      return broken && transitionTexts.broken(activityId, broken.file, broken.issues[0]?.message);
    },
    ahead(at) {
      const ahead = aheadOf(graph, initial, { ...at, loops: runningLoops(graph, bodies, at) });
      return { ...ahead, moves: roundsFirst(graph, bodies, { moves: ahead.moves, at }) };
    },
    past(activityId, at) {
      const moves = movesPast(graph, activityId, { ...at, loops: runningLoops(graph, bodies, at) });
      return roundsFirst(graph, bodies, { moves, at });
    },
    place(activityId, { variables }) {
      const around = repeated.size === 0 ? [] : loopsAround(graph, bodies, activityId);
      return placeOf(graph, activityId, { around, variables });
    },
    leadsTo(from, to, at) {
      if (at === undefined || repeated.size === 0 || !leadsTo(from, to)) return leadsTo(from, to);
      const running = runningLoops(graph, bodies, at);
      const { moves } = aheadOf(graph, initial, { ...at, loops: running });
      const move = moves.find(({ holds, target }) => holds && target === from);
      const loops =
        move === undefined ? running : loopsAfter(running, bodies, { from: at.current, to: from, move });
      return leadsInRounds(graph, bodies, { from, to, at: { ...at, loops } });
    },
    asksAgain: isAskedAgain,
    awaits: () => undefined,
    readOnWayBack: readOnWayBack(graph, leadsTo, modes),
    personsCheckpoint(activityId, gates) {
      const activity = graph.get(activityId);
      return activity && personsCheckpointOf(activity, gates);
    },
    sendsToPerson: sendsInGraph(known),
    passedBy: passedInGraph(known),
    loopsAt: (at) => (repeated.size === 0 ? undefined : runningLoops(graph, bodies, at)),
    loopsAfter: (at, to, move) =>
      repeated.size === 0
        ? undefined
        : loopsAfter(runningLoops(graph, bodies, at), bodies, { from: at.current, to, move }),
    openLoops: (at) =>
      runningLoops(graph, bodies, at).flatMap(({ activity, loop }) => {
        const { type, over, variable } = graph.get(activity)?.loops.find((one) => one.id === loop) ?? {};
        if (type !== 'forEach' || over === undefined) return [];
        return [
          { activity, loop, over, kind: 'list' as const, ...(variable === undefined ? {} : { variable }) },
        ];
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
    ...(value === undefined ? {} : { value }),
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

function aheadOf(graph: Graph, initial: string | undefined, at: PositionInLoops): Frontier {
  if (at.current !== undefined) {
    const closed = closedAt(graph, at.current, at);
    return {
      moves: movesFrom(graph, at.current, at),
      ...(closed === undefined ? {} : { closedAt: closed }),
      remarks: [],
    };
  }
  if (initial === undefined) {
    return { moves: [], obstacle: transitionTexts.noActivity(), remarks: [] };
  }
  const start = { target: initial, when: transitionTexts.initial(), holds: true, undecided: [], sets: [] };
  return { moves: [start], remarks: [] };
}

function placeOf(
  graph: Graph,
  id: string,
  { around, variables }: Pick<SessionPosition, 'variables'> & { readonly around: readonly CompiledLoop[] },
): ActivityPlan {
  const { name = id, steps = [], gates = [], loops = [] } = graph.get(id) ?? {};
  const lists = gates.length === 0 ? [] : around;
  return {
    id,
    name,
    steps,
    gates,
    loops,
    context: variables,
    ...(lists.length === 0 ? {} : { around: lists }),
    ...(around.length === 0 ? {} : { isRepeated: true }),
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
