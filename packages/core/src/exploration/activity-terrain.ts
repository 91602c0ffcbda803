import { describeCondition } from '@workflowlookup/conditions';
import type { ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import { conditionsOf, walkActivitySteps } from '@workflowlookup/schema';
import { graphNavigator } from '../session/graph-navigator.ts';
import { activityCensus } from './activity-census.ts';
import { createActivityHorizon } from './activity-horizon.ts';
import { createActivityReads } from './activity-reads.ts';
import type { ActivityCircle } from './activity-turns.ts';
import { activityClauses, activityLoopsEnded, stepsReached, turnsOfPassage } from './activity-turns.ts';
import { namesRead } from './comparisons.ts';
import { compileConditions } from './compile-conditions.ts';
import type { Branch, Site, Terrain } from './terrain.ts';

/** The terrain of an activity workflow: its sites are its activities and their steps. */
export function activityTerrain(workflow: ActivityWorkflow): Terrain {
  const { activities } = workflow;
  const navigator = graphNavigator(workflow);
  const clauses = new Map(activities.map((part) => [part.id, activityClauses(part)]));
  const paths = { navigator, activities: clauses };
  const circles = activities.flatMap(circlesIn);
  const required = new Set(navigator.required);
  const census = activityCensus(workflow);
  const { byActivity, always, reads } = createActivityReads(workflow, navigator);
  return {
    navigator,
    sites: activities.flatMap(sitesIn),
    branches: activities.flatMap(branchesIn),
    circles,
    census,
    siteOf: (activity) => activity,
    reads,
    horizonOf: createActivityHorizon(workflow, { names: byActivity, required, always }),
    *reachedBy(passage, outcomes) {
      if (passage.event.type === 'activity-entered') yield passage.event.activity;
      for (const step of stepsReached(paths, passage, outcomes))
        yield stepSite(passage.before.current ?? '', step);
    },
    turnsOf: (passage, outcomes) => turnsOfPassage(paths, passage, outcomes),
    endedBy: (passage) => activityLoopsEnded(circles, passage),
  };
}

function stepSite(activity: string, step: string): string {
  return `${activity}::${step}`;
}

function sitesIn({ id, definition, file, pointer }: ActivityPart): readonly Site[] {
  return [
    { id, kind: 'activity' as const, label: `activity '${id}'`, file, pointer: `${pointer}/id` },
    ...[...walkActivitySteps(definition)].map((walked) => ({
      id: stepSite(id, walked.step.id),
      kind: 'step' as const,
      label: `step '${walked.step.id}' of '${id}'`,
      within: id,
      file,
      pointer: pointer + walked.pointer,
    })),
  ];
}

function branchesIn({ id, definition, file, pointer }: ActivityPart): readonly Branch[] {
  const steps = new Map([...walkActivitySteps(definition)].map((walked) => [walked.pointer, walked.step.id]));
  const conditions = compileConditions(conditionsOf(definition)).map(
    ({ condition, pointer: place }): Branch => {
      const owner = /^(.*\/steps\/\d+)\/(?:when|condition)$/.exec(place)?.[1];
      const step = owner === undefined ? undefined : steps.get(owner);
      return {
        kind: 'condition',
        site: step === undefined ? id : stepSite(id, step),
        file,
        pointer: pointer + place,
        text: describeCondition(condition),
        names: namesRead([{ condition }]),
        decides: step !== undefined ? 'site' : decidedAt(place),
      };
    },
  );
  const options = (definition.checkpoints ?? []).flatMap((gate, at) =>
    gate.options.map((option, nth): Branch => ({
      kind: 'option',
      site: id,
      file,
      pointer: `${pointer}/checkpoints/${at}/options/${nth}`,
      text: `${option.id} at '${gate.id}'`,
      names: [],
      decides: 'other',
      gate: { id: gate.id, file, pointer: `${pointer}/checkpoints/${at}` },
    })),
  );
  return [...conditions, ...options];
}

function decidedAt(pointer: string): Branch['decides'] {
  const [, key] = /^\/loops\/\d+\/(\w+)$/.exec(pointer) ?? [];
  if (key === 'breakCondition') return 'end';
  return key === 'condition' ? 'loop' : 'other';
}

/** Loops over activities that are to end by a condition. */
function circlesIn({ id, definition, file, pointer }: ActivityPart): readonly ActivityCircle[] {
  return (definition.loops ?? []).flatMap(({ type, activities = [], maxIterations = 100, ...loop }, at) => {
    const [entrance] = activities;
    if (type === 'forEach' || entrance === undefined) return [];
    return [
      { id: loop.id, entrance, file, pointer: `${pointer}/loops/${at}`, maxIterations, host: id, activities },
    ];
  });
}
