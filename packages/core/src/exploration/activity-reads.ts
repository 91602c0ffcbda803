import type { ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import { conditionsOf, walkActivitySteps } from '@workflowlookup/schema';
import type { Navigator } from '../session/navigator.ts';
import { whereabouts } from '../session/whereabouts.ts';
import { namesRead } from './comparisons.ts';
import { compileConditions } from './compile-conditions.ts';
import type { Terrain } from './terrain.ts';

/** The variables an activity looks at. */
export interface ActivityNames {
  /** While it is done and left, by the activities too whose loops it is in. */
  readonly inside: readonly string[];
  /** Of these those that decide more than whether a step is due or a rule counts. */
  readonly deciding: readonly string[];
  /** Where it leads on. */
  readonly ways: readonly string[];
}

/** Which variables are looked at where. */
export interface ActivityReads {
  readonly byActivity: ReadonlyMap<string, ActivityNames>;
  /** What switches modes on, and what is looked at when an activity is entered. */
  readonly always: readonly string[];
  readonly reads: Terrain['reads'];
}

/** Reads which variables the activities of a workflow look at. */
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
      for (const id of whereabouts(state, navigator).skipped) yield* byActivity.get(id)?.ways ?? [];
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

/** The activities that have a loop over this one. */
function hostsOf({ id }: ActivityPart, activities: readonly ActivityPart[]): readonly ActivityPart[] {
  return activities.filter(({ definition }) =>
    (definition.loops ?? []).some((loop) => loop.activities?.includes(id) === true),
  );
}
