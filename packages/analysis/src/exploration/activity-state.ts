import type { Activity, ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import { conditionsOf, walkActivitySteps } from '@workflowlookup/schema';
import { rootOf, visitsOf, targetNamedBy } from '@workflowlookup/core/decisions';
import type { Navigator, SessionState } from '@workflowlookup/core/decisions';
import { sessionPosition } from '@workflowlookup/core/decisions';
import { compileConditions, namesRead } from './compiled-conditions.ts';
import type { StateGraph } from './state-graph.ts';

/** An activity, and its possible targets. */
interface Stop {
  readonly names: ActivityNames;
  readonly next: readonly string[];
  readonly maySkip: boolean;
}

/**
 * Computes the relevant part of a state of an activity workflow. The value of a variable matters while a transition
 * leads to a place that reads it, but not past an activity in which it may be set to anything.
 */
export function createActivityRelevance(
  { activities, definition }: ActivityWorkflow,
  {
    names,
    required,
    always,
  }: {
    readonly names: ReadonlyMap<string, ActivityNames>;
    readonly required: ReadonlySet<string>;
    /** Names that are read everywhere. */
    readonly always: readonly string[];
  },
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
  const way = expected === undefined ? undefined : targetNamedBy(state);
  return [
    way && [way.activity, way.checkpoint],
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
  return namesRead(compileConditions(placed));
}

function hostsOf({ id }: ActivityPart, activities: readonly ActivityPart[]): readonly ActivityPart[] {
  return activities.filter(({ definition }) =>
    (definition.loops ?? []).some((loop) => loop.activities?.includes(id) === true),
  );
}
