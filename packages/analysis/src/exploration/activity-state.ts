import type { Context } from '@workflowlookup/conditions';
import type {
  EvaluatedMove,
  Navigator,
  PlannedLoop,
  SessionEventOf,
  SessionState,
} from '@workflowlookup/core/decisions';
import {
  rootOf,
  visitsOf,
  sessionPosition,
  evaluateMove,
  itemAt,
  listOf,
  mostIterations,
  withItem,
} from '@workflowlookup/core/decisions';
import type { Activity, ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import { conditionsOf, walkActivitySteps } from '@workflowlookup/schema';
import type { StateTransition } from '../unstored-session.ts';
import type { BoundedLoop, BranchResult, Outcomes, StateGraph } from './state-graph.ts';
import type { Clause } from './variable-values.ts';
import { compileConditions, namesRead } from './variable-values.ts';

/** An activity, and its possible targets. */
interface Stop {
  readonly names: ActivityNames;
  readonly next: readonly string[];
  readonly maySkip: boolean;
}

/**
 * Computes the relevant part of a state of an activity workflow. The value of a variable is relevant if the session can
 * still reach a place that reads it without first passing an activity that may set it to anything.
 *
 * @param always names that are read everywhere
 */
export function createActivityRelevance(
  { activities, definition }: ActivityWorkflow,
  names: ReadonlyMap<string, ActivityNames>,
  required: ReadonlySet<string>,
  always: readonly string[],
): StateGraph['relevantPartOf'] {
  const all = activities.map((part) => part.definition);
  const skippable = new Set([
    ...(definition.modes ?? []).flatMap(({ skipActivities = [] }) => skipActivities),
    ...all.flatMap(skipsIn),
  ]);
  const bounds = new Map(
    all.flatMap(({ loops = [] }) =>
      loops.flatMap(({ activities: members = [], maxIterations = 100 }) =>
        members.map((id) => [id, maxIterations] as const),
      ),
    ),
  );
  const stops = new Map(
    all.map((activity): [string, Stop] => [
      activity.id,
      {
        names: names.get(activity.id) ?? { inside: [], deciding: [], ways: [] },
        next: targetsOf(activity, all),
        maySkip: skippable.has(activity.id),
      },
    ]),
  );
  const switches = [
    ...new Set((definition.modes ?? []).flatMap(({ activationVariable: name }) => [name, rootOf(name)])),
  ];
  let live: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  return ({ state }, settersAt) => {
    const { current, completed, visits, loops, skipped, expected } = state;
    live ??= liveNames(stops, settersAt);
    const ahead = current === undefined ? [...live.values()].flatMap((some) => [...some]) : live.get(current);
    return {
      progress: [
        current,
        expected,
        skipped.toSorted(),
        completed.filter((id) => required.has(id)).toSorted(),
        loops ?? [],
        decidersOf(state, switches),
        // Visits count up to the bound of the loop.
        [...bounds].map(([id, most]) => Math.min(visitsOf(visits, id), most + 1)),
      ],
      names: new Set([...always, ...(ahead ?? [])]),
    };
  };
}

/**
 * Returns which answers named the next activity or skipped others, and who activated modes, because an agent can't undo
 * a person's decision.
 */
function decidersOf(state: SessionState, switches: readonly string[]): unknown {
  const { expected, skippedBy = [], origins, owners } = state;
  const target = expected === undefined ? undefined : state.expectedBy;
  return [
    target && [target.activity, target.checkpoint],
    skippedBy
      .map(({ activity, checkpoint, activities }) => JSON.stringify([activity, checkpoint, activities]))
      .toSorted(),
    switches.map((name) => {
      const { activity, checkpoint, left } = (Object.hasOwn(owners, name) ? owners[name] : undefined) ?? {};
      return [Object.hasOwn(origins, name) ? origins[name]?.by : undefined, activity, checkpoint, left];
    }),
  ];
}

/** The names whose value matters in an activity, and those that matter after it. */
interface Liveness {
  readonly at: Set<string>;
  readonly behind: Set<string>;
}

/** Computes the names whose value matters at each activity, backwards until nothing changes. */
function liveNames(
  stops: ReadonlyMap<string, Stop>,
  settersAt: (site: string) => ReadonlySet<string>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const live = new Map(
    [...stops].map(([id, { names }]): [string, Liveness] => [
      id,
      { at: new Set(names.inside), behind: new Set() },
    ]),
  );
  for (let before = -1, now = 0; before < now;) {
    before = now;
    for (const [id, { next }] of stops) {
      const own = live.get(id);
      if (own === undefined) continue;
      for (const target of next) {
        for (const name of countingBefore(target, stops.get(target), { live, settersAt }))
          own.behind.add(name);
      }
      for (const name of own.behind) own.at.add(name);
    }
    now = [...live.values()].reduce((sum, { at, behind }) => sum + at.size + behind.size, 0);
  }
  return new Map([...live].map(([id, { at }]) => [id, at]));
}

/**
 * Returns the names whose value matters before an activity is entered; if it may be skipped, also those that matter
 * after it.
 */
function countingBefore(
  target: string,
  stop: Stop | undefined,
  known: {
    readonly live: ReadonlyMap<string, Liveness>;
    readonly settersAt: (site: string) => ReadonlySet<string>;
  },
): readonly string[] {
  const { at = new Set<string>(), behind = new Set<string>() } = known.live.get(target) ?? {};
  const freed = known.settersAt(target);
  const inside = [...at].filter((name) => !freed.has(name));
  return stop?.maySkip === true ? [...inside, ...stop.names.ways, ...behind] : inside;
}

function skipsIn({ checkpoints = [] }: Activity): readonly string[] {
  return checkpoints.flatMap(({ options }) => options.flatMap(({ effect }) => effect?.skipActivities ?? []));
}

/** Activities that may come next; after an activity of a loop those of the activities that have the loops around it. */
function targetsOf(activity: Activity, all: readonly Activity[]): readonly string[] {
  const around = new Set([activity]);
  for (const { id } of around) {
    for (const host of all) if (host.loops?.some((loop) => loop.activities?.includes(id))) around.add(host);
  }
  return [...around].flatMap(({ transitions = [], decisions = [], checkpoints = [], loops = [] }) => [
    ...transitions.map(({ to }) => to),
    ...decisions.flatMap(({ branches }) => branches.flatMap(({ transitionTo }) => transitionTo ?? [])),
    ...checkpoints.flatMap(({ options }) => options.flatMap(({ effect }) => effect?.transitionTo ?? [])),
    ...loops.flatMap((loop) => loop.activities ?? []),
  ]);
}

interface ActivityNames {
  /** Names read while it is done and left, including by the activities whose loops it is in. */
  readonly inside: readonly string[];
  /** The names among them that decide more than whether a step is required or a rule applies. */
  readonly deciding: readonly string[];
  /** Names read by its transitions. */
  readonly ways: readonly string[];
}

interface ActivityReads {
  readonly byActivity: ReadonlyMap<string, ActivityNames>;
  /** Names that activate modes, and names read when an activity is entered. */
  readonly always: readonly string[];
  readonly reads: StateGraph['reads'];
}

export function createActivityReads(
  { activities, definition }: ActivityWorkflow,
  navigator: Navigator,
): ActivityReads {
  const always = [
    ...(definition.modes ?? []).map(({ activationVariable }) => activationVariable),
    ...activities.flatMap((part) => namesIn(part, (pointer) => pointer.startsWith('/entryActions/'))),
  ];
  const own = new Map(activities.map((part) => [part.id, ownNames(part)]));
  const byActivity = new Map(
    activities.map((part): [string, ActivityNames] => [
      part.id,
      {
        inside: [part, ...hostsOf(part, activities)].flatMap(({ id }) => own.get(id)?.inside ?? []),
        deciding: [part, ...hostsOf(part, activities)].flatMap(({ id }) => own.get(id)?.deciding ?? []),
        ways: namesIn(part, (pointer) => /^\/(decisions|transitions|loops)\//.test(pointer)),
      },
    ]),
  );
  return {
    byActivity,
    always,
    *reads({ state }) {
      yield* always;
      yield* byActivity.get(state.current ?? '')?.deciding ?? [];
      for (const id of sessionPosition(state, navigator).skipped) yield* byActivity.get(id)?.ways ?? [];
    },
  };
}

function ownNames(part: ActivityPart): Pick<ActivityNames, 'deciding' | 'inside'> {
  const lists = (part.definition.loops ?? []).flatMap(({ over }) => over ?? []);
  const steps = [...walkActivitySteps(part.definition)]
    .filter(({ step }) => step.checkpoint === undefined && step.actions === undefined)
    .flatMap(({ pointer }) => [`${pointer}/when`, `${pointer}/condition`]);
  const idle = new Set(steps);
  return {
    inside: [...namesIn(part, (pointer) => !pointer.startsWith('/entryActions/')), ...lists],
    deciding: [
      ...namesIn(
        part,
        (pointer) => !/^\/entryActions\/|\/validationCriteria\//.test(pointer) && !idle.has(pointer),
      ),
      ...lists,
    ],
  };
}

function namesIn({ definition }: ActivityPart, isWanted: (pointer: string) => boolean): readonly string[] {
  const placed = [...conditionsOf(definition)].filter(({ pointer }) => isWanted(pointer));
  return namesRead(compileConditions(placed).map(({ condition }) => condition));
}

function hostsOf({ id }: ActivityPart, activities: readonly ActivityPart[]): readonly ActivityPart[] {
  return activities.filter(({ definition }) =>
    (definition.loops ?? []).some((loop) => loop.activities?.includes(id) === true),
  );
}

/** The conditions of an activity by what they decide. */
interface ActivityClauses {
  readonly part: ActivityPart;
  readonly steps: readonly {
    readonly id: string;
    readonly loop: string | undefined;
    readonly clauses: readonly Clause[];
  }[];
  /** Conditions of rules and actions. */
  readonly rules: readonly Clause[];
  /** Conditions of decisions, transitions and loops. */
  readonly ways: readonly Clause[];
}

export function activityClauses(part: ActivityPart): ActivityClauses {
  const { definition } = part;
  const all = compileConditions(conditionsOf(definition));
  return {
    part,
    steps: [...walkActivitySteps(definition)].map(({ step, pointer, loop }) => ({
      id: step.id,
      loop: loop?.id,
      clauses: all.filter((clause) => [`${pointer}/when`, `${pointer}/condition`].includes(clause.pointer)),
    })),
    rules: all.filter(({ pointer }) => /\/validationCriteria\/|ctions\//.test(pointer)),
    ways: all.filter(({ pointer }) => /^\/(loops\/\d+\/\w+$|decisions\/|transitions\/)/.test(pointer)),
  };
}

/** An activity workflow with the conditions of its activities. */
interface ActivityPaths {
  readonly navigator: Navigator;
  readonly activities: ReadonlyMap<string, ActivityClauses>;
}

/** Returns the results of the conditions of the activity that a transition leaves, and the answer that was given. */
export function resultsOfTransition(
  paths: ActivityPaths,
  transition: StateTransition,
  outcomes: Outcomes,
): readonly BranchResult[] {
  const { before, command, event } = transition;
  if (event.type === 'checkpoint-answered') return answerOf(paths, event);
  const activity = paths.activities.get(before.current ?? '');
  if (command.kind !== 'move' || activity === undefined) return [];
  const { part, rules, ways } = activity;
  const prospect = evaluateMove(before, command, paths.navigator);
  const turns = [
    ...stepResults(activity, prospect, outcomes).flatMap(({ turns: some }) => some),
    ...checkpointTurns(part, transition),
    // Includes the targets of answers to checkpoints, whose text often repeats a condition.
    ...[...rules, ...ways].flatMap(({ condition, pointer }) =>
      outcomes(condition, prospect.here.variables).map((holds) => ({ pointer, holds })),
    ),
  ];
  return turns.map(({ pointer, holds }) => ({ file: part.file, pointer: part.pointer + pointer, holds }));
}

function answerOf(
  { activities }: ActivityPaths,
  { activity, checkpoint, answer }: SessionEventOf<'checkpoint-answered'>,
): readonly BranchResult[] {
  const part = activities.get(activity)?.part;
  const checkpoints = part?.definition.checkpoints ?? [];
  const at = checkpoints.findIndex(({ id }) => id === checkpoint);
  if (part === undefined || answer.kind === 'dismissed') return [];
  const nth = checkpoints[at]?.options.findIndex(({ id }) => id === answer.option);
  const pointer = `${part.pointer}/checkpoints/${at}`;
  const asked =
    checkpoints[at]?.condition === undefined
      ? []
      : [{ file: part.file, pointer: `${pointer}/condition`, holds: true }];
  return [...asked, { file: part.file, pointer: `${pointer}/options/${nth}`, holds: true }];
}

/** The results that the conditions of a step had or may have had. */
interface StepTurns {
  readonly id: string;
  readonly turns: readonly BranchResult[];
  /** Whether the step is required for some values of free variables and not for others. */
  readonly mayBeDue: boolean;
}

/**
 * Returns the results of the conditions of each step. The conditions of a required step are true; others are evaluated.
 */
function stepResults(
  { steps }: ActivityClauses,
  { work }: EvaluatedMove,
  outcomes: Outcomes,
): readonly StepTurns[] {
  if (work === undefined) return [];
  const { place, account } = work;
  const due = new Set(account.required.map(({ id }) => id));
  const context = { ...place.context, ...account.values };
  return steps.map(({ id, loop, clauses }) => {
    const planned = place.loops.find((one) => one.id === loop);
    const seen = itemsOf(planned, context).map((item) => withItem(context, item));
    const isDue = loop === undefined && due.has(id);
    const found = clauses.map(({ condition, pointer }) => ({
      pointer,
      ways: new Set([...(isDue ? [true] : []), ...seen.flatMap((one) => outcomes(condition, one))]),
    }));
    return {
      id,
      mayBeDue: found.every(({ ways }) => ways.has(true)) && found.some(({ ways }) => ways.size > 1),
      turns: found.flatMap(({ pointer, ways }) => [...ways].map((holds) => ({ pointer, holds }))),
    };
  });
}

/**
 * Returns the items that a step sees, each under the name from its loop. Outside of a list, returns one empty context.
 */
function itemsOf(loop: PlannedLoop | undefined, context: Context): readonly Context[] {
  if (loop === undefined || listOf(loop, context) === undefined) return [{}];
  const count = mostIterations(loop, context);
  return Array.from({ length: count }, (_, iteration) => itemAt(loop, iteration, context));
}

/**
 * Returns the steps of the activity being left that its manifest names, and those that could also have been required.
 */
export function stepsReached(
  { navigator, activities }: ActivityPaths,
  { before, command }: StateTransition,
  outcomes: Outcomes,
): readonly string[] {
  const activity = activities.get(before.current ?? '');
  if (command.kind !== 'move' || activity === undefined) return [];
  const prospect = evaluateMove(before, command, navigator);
  const named = (prospect.work?.account.entries ?? []).flatMap((instance) => instance?.step.id ?? []);
  const possible = stepResults(activity, prospect, outcomes).filter(({ mayBeDue }) => mayBeDue);
  return [...named, ...possible.map(({ id }) => id)];
}

/** Returns the conditions of checkpoints that were not asked before the activity was left. They were false. */
function checkpointTurns({ definition }: ActivityPart, { before }: StateTransition): readonly BranchResult[] {
  return (definition.checkpoints ?? []).flatMap(({ id, condition }, at) =>
    condition === undefined || before.answered.some(({ checkpoint }) => checkpoint === id)
      ? []
      : [{ pointer: `/checkpoints/${at}/condition`, holds: false }],
  );
}

export interface ActivityBoundedLoop extends BoundedLoop {
  readonly host: string;
  readonly activities: readonly string[];
}

/** Returns the loops over activities that a move leaves although they could have more iterations. */
export function activityLoopsEnded(
  boundedLoops: readonly ActivityBoundedLoop[],
  { before, command, after }: StateTransition,
): readonly BoundedLoop[] {
  const { current = '', loops = [] } = before;
  if (command.kind !== 'move') return [];
  return boundedLoops.filter(({ id, host, activities, maxIterations }) => {
    const states = host === current || activities.includes(current);
    const stays = after.current !== undefined && activities.includes(after.current);
    const done = loops.find(({ activity, loop }) => activity === host && loop === id)?.rounds ?? 0;
    return states && !stays && done > 0 && done < maxIterations;
  });
}
