import type { ActivityWorkflow } from '@workflowlookup/schema';
import { initialActivityOf } from '@workflowlookup/schema';
import { setters } from '../session/ownership.ts';
import { bodiesIn, leadsInRounds, loopsAfter, roundsFirst, runningLoops } from './activity-loops.ts';
import type { CompiledLoop } from './compile-activity.ts';
import { compileActivity, compileCondition } from './compile-activity.ts';
import type { Frontier, Mode, Navigator, ActivityPlan, SessionPosition } from './navigator.ts';
import {
  asksAgain,
  passedInGraph,
  personsCheckpointOf,
  readOnWayBack,
  sendsInGraph,
} from './passed-checkpoints.ts';
import type { Graph, PositionInLoops } from './transitions.ts';
import { closedAt, movesFrom, movesPast, reachabilityOf } from './transitions.ts';

/**
 * Navigates an activity workflow: a graph of activities joined by decisions and transitions.
 *
 * @throws WorkflowError INVALID_WORKFLOW for a condition that the checks of reading would have refused
 * @see docs/sessions.md#activity-workflows
 */
export function graphNavigator(workflow: ActivityWorkflow): Navigator {
  const { id, digest, definition, activities, problems } = workflow;
  const graph: Graph = new Map(activities.map((part) => [part.id, compileActivity(part.definition)]));
  const leadsTo = reachabilityOf(graph);
  const repeated = new Set(
    activities.flatMap((part) => (part.definition.loops ?? []).flatMap((loop) => loop.activities ?? [])),
  );
  const initial = initialActivityOf(workflow);
  const bodies = bodiesIn(graph, initial);
  const modes = (definition.modes ?? []).map(compileMode);
  return {
    workflow: { id, version: definition.version, title: definition.title, digest },
    enforcement: definition.enforcement ?? 'advisory',
    variables: declaredIn(workflow),
    modes,
    required: activities.filter((part) => part.definition.required === true).map((part) => part.id),
    find: (name) => (graph.has(name) ? name : undefined),
    absence(activityId) {
      const broken = problems.find(({ kind, id: part }) => kind === 'activity' && part === activityId);
      return (
        broken && `'${activityId}' (${broken.file}) is broken: ${broken.issues[0]?.message ?? 'unreadable'}`
      );
    },
    ahead(at) {
      const ahead = aheadOf(graph, initial, { ...at, loops: runningLoops(graph, bodies, at) });
      return { ...ahead, moves: roundsFirst(graph, bodies, { moves: ahead.moves, at }) };
    },
    past: (activityId, at) => movesPast(graph, activityId, at),
    place: (activityId, at) => ({
      ...placeOf(graph, activityId, at),
      ...(repeated.has(activityId) ? { isRepeated: true } : {}),
    }),
    leadsTo(from, to, at) {
      if (at === undefined || repeated.size === 0 || !leadsTo(from, to)) return leadsTo(from, to);
      const running = runningLoops(graph, bodies, at);
      const { moves } = aheadOf(graph, initial, { ...at, loops: running });
      const move = moves.find(({ holds, target }) => holds && target === from);
      const loops =
        move === undefined ? running : loopsAfter(running, bodies, { from: at.current, to: from, move });
      return leadsInRounds(graph, bodies, { from, to, at: { ...at, loops } });
    },
    asksAgain: asksAgain(graph, modes),
    readOnWayBack: readOnWayBack(graph, leadsTo, modes),
    personsCheckpoint(activityId, gates) {
      const activity = graph.get(activityId);
      return activity && personsCheckpointOf(activity, gates);
    },
    sendsToPerson: sendsInGraph(graph, leadsTo, modes),
    passedBy: passedInGraph(graph, leadsTo, initial),
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
    return { moves: [], obstacle: 'The workflow has no activity that can be used.', remarks: [] };
  }
  const start = { target: initial, when: 'the initial activity', holds: true, undecided: [], sets: [] };
  return { moves: [start], remarks: [] };
}

function placeOf(graph: Graph, id: string, at: Pick<SessionPosition, 'variables'>): ActivityPlan {
  const { name = id, steps = [], gates = [], loops = [] } = graph.get(id) ?? {};
  const around = gates.length === 0 ? [] : loopsAround(graph, id);
  return {
    id,
    name,
    steps,
    gates,
    loops,
    context: at.variables,
    ...(around.length === 0 ? {} : { around }),
  };
}

function loopsAround(graph: Graph, id: string): readonly CompiledLoop[] {
  return [...graph.values()].flatMap(({ loops }) =>
    loops.filter(({ activities }) => activities.includes(id)),
  );
}
