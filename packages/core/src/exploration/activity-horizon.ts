import type { Activity, ActivityWorkflow } from '@workflowlookup/schema';
import { rootOf } from '../root-of.ts';
import { visitsOf, wayGivenBy } from '../session/evolve.ts';
import type { SessionState } from '../session/session-state.ts';
import type { ActivityNames } from './activity-reads.ts';
import type { Terrain } from './terrain.ts';

/** An activity, and where it leads. */
interface Stop {
  readonly names: ActivityNames;
  readonly next: readonly string[];
  readonly maySkip: boolean;
}

/**
 * What may still come in an activity workflow. The value of a variable counts as long as a way leads to where it is
 * looked at, and not past an activity in which it may become anything.
 */
export function createActivityHorizon(
  { activities, definition }: ActivityWorkflow,
  {
    names,
    required,
    always,
  }: {
    readonly names: ReadonlyMap<string, ActivityNames>;
    readonly required: ReadonlySet<string>;
    /** Names that are looked at everywhere. */
    readonly always: readonly string[];
  },
): Terrain['horizonOf'] {
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

/** Which answers named the next activity and skipped others, and who turned modes on: what a person decided, an agent does not undo. */
function decidersOf(state: SessionState, switches: readonly string[]): unknown {
  const { expected, skippedBy = [], origins, owners } = state;
  const way = expected === undefined ? undefined : wayGivenBy(state);
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

/** Names whose value counts at an activity, and those that count once it is left. */
interface Liveness {
  readonly at: Set<string>;
  readonly behind: Set<string>;
}

/** Names whose value counts at each activity, worked out backwards until nothing changes. */
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

/** Names whose value counts before an activity is entered; where it may be skipped also those behind it. */
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
