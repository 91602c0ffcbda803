import { addActivity, unknownActivity, unreachableActivity } from '../messages/workflow.ts';
import type { FileFinding } from '../findings/collect-findings.ts';
import { activityLocation } from '../findings/collect-findings.ts';
import { createSuggester } from '../findings/wording.ts';
import type { ActivityWorkflow } from '../workflow/activity-workflow.ts';
import { initialActivityOf } from '../workflow/activity-workflow.ts';
import type { Activity, Effect } from '../workflow/activity.ts';
import { reservedTargets } from '../workflow/activity.ts';

/** A reference to an activity. */
interface Target {
  readonly id: string;
  readonly pointer: string;
  /** Describes the element that refers to it. */
  readonly by: string;
  /** Set for a transition, which may also name a reserved target. */
  readonly mayEnd: boolean;
}

interface TargetScope {
  readonly workflow: ActivityWorkflow;
  /** Path of the workflow file. */
  readonly file: string;
  /** Ids of activities that exist but can't be used. Naming one is not reported again. */
  readonly broken: ReadonlySet<string>;
}

/** Finds references to unknown activities, and activities that can't be reached. */
export function* checkTargets(scope: TargetScope): Generator<FileFinding> {
  const known = new Set([...scope.workflow.activities.map(({ id }) => id), ...scope.broken]);
  const naming: KnownActivities = { known, suggest: createSuggester(known) };
  yield* checkWorkflowTargets(scope, naming);
  for (const part of scope.workflow.activities) {
    for (const target of targetsOf(part.definition)) {
      if (known.has(target.id) || (target.mayEnd && reservedTargets.includes(target.id))) continue;
      yield { ...unknownTarget(target, naming), ...activityLocation(part, target.pointer), served: true };
    }
  }
  yield* unreachable(scope);
}

/** The activities that may be named, and a function that suggests one. */
interface KnownActivities {
  readonly known: ReadonlySet<string>;
  readonly suggest: ReturnType<typeof createSuggester>;
}

function* checkWorkflowTargets(
  { workflow, file }: TargetScope,
  naming: KnownActivities,
): Generator<FileFinding> {
  const { initialActivity, modes = [] } = workflow.definition;
  if (initialActivity !== undefined && !naming.known.has(initialActivity)) {
    const by = 'The workflow starts with';
    yield {
      ...unknownTarget({ id: initialActivity, pointer: '/initialActivity', by, mayEnd: false }, naming),
      file,
    };
  }
  for (const [at, mode] of modes.entries()) {
    const targets = targetsInList(
      mode.skipActivities,
      `/modes/${at}/skipActivities`,
      `Mode '${mode.id}' skips`,
    );
    for (const target of targets) {
      if (!naming.known.has(target.id)) yield { ...unknownTarget(target, naming), file, served: true };
    }
  }
}

function unknownTarget(
  { id, pointer, by, mayEnd }: Target,
  { suggest }: KnownActivities,
): Omit<FileFinding, 'file'> {
  return {
    severity: 'error',
    code: 'unknown-activity',
    pointer,
    message: unknownActivity(by, id),
    suggestion: suggest(id, addActivity(id, mayEnd)),
  };
}

export function* targetsOf(activity: Activity): Generator<Target> {
  for (const [at, { to }] of (activity.transitions ?? []).entries()) {
    yield { id: to, pointer: `/transitions/${at}/to`, by: 'A transition leads to', mayEnd: true };
  }
  for (const [at, { id, branches }] of (activity.decisions ?? []).entries()) {
    for (const [nth, { transitionTo }] of branches.entries()) {
      const pointer = `/decisions/${at}/branches/${nth}/transitionTo`;
      const by = `Decision '${id}' leads to`;
      if (transitionTo !== undefined) yield { id: transitionTo, pointer, by, mayEnd: true };
    }
  }
  for (const [at, { id, options }] of (activity.checkpoints ?? []).entries()) {
    for (const [nth, { effect }] of options.entries()) {
      yield* targetsOfEffect(effect, `/checkpoints/${at}/options/${nth}/effect`, id);
    }
  }
  for (const [at, { id, activities }] of (activity.loops ?? []).entries()) {
    yield* targetsInList(activities, `/loops/${at}/activities`, `Loop '${id}' repeats`);
  }
}

function* targetsOfEffect(
  { transitionTo, skipActivities }: Effect = {},
  pointer: string,
  checkpoint: string,
): Generator<Target> {
  const by = `Checkpoint '${checkpoint}'`;
  if (transitionTo !== undefined) {
    yield { id: transitionTo, pointer: `${pointer}/transitionTo`, by: `${by} leads to`, mayEnd: true };
  }
  yield* targetsInList(skipActivities, `${pointer}/skipActivities`, `${by} skips`);
}

function* targetsInList(ids: readonly string[] = [], pointer: string, by: string): Generator<Target> {
  for (const [at, id] of ids.entries()) yield { id, pointer: `${pointer}/${at}`, by, mayEnd: false };
}

/**
 * Returns the activities that can be reached from others, including those. An activity without transitions returns to
 * the loop that contains it.
 */
export function reachedFrom(
  { activities }: Pick<ActivityWorkflow, 'activities'>,
  from: readonly string[],
): ReadonlySet<string> {
  const parts = new Map(activities.map((part) => [part.id, part]));
  const hosts = new Map<string, string[]>();
  for (const { id: host, definition } of activities) {
    const members = (definition.loops ?? []).flatMap((loop) => loop.activities ?? []);
    for (const id of members) {
      const known = hosts.get(id) ?? [];
      known.push(host);
      hosts.set(id, known);
    }
  }
  const reached = new Set(from);
  for (const id of reached) {
    const part = parts.get(id);
    if (part === undefined) continue;
    for (const target of targetsOf(part.definition)) {
      if (!target.pointer.includes('/skipActivities/')) reached.add(target.id);
    }
    const { transitions = [], decisions = [] } = part.definition;
    if (transitions.length > 0 || decisions.length > 0) continue;
    for (const host of hosts.get(id) ?? []) reached.add(host);
  }
  return reached;
}

/** Finds activities that can't be reached. Skipped if an activity is broken, because its transitions are unknown. */
function* unreachable({ workflow, broken }: TargetScope): Generator<FileFinding> {
  const initial = initialActivityOf(workflow);
  if (broken.size > 0 || initial === undefined || !workflow.activities.some(({ id }) => id === initial))
    return;
  const reached = reachedFrom(workflow, [initial]);
  for (const part of workflow.activities) {
    if (reached.has(part.id)) continue;
    yield {
      ...activityLocation(part, '/id'),
      severity: 'warning',
      code: 'unreachable',
      ...unreachableActivity(part.id, initial),
    };
  }
}

/**
 * Returns a function that gives the loop item names visible in an activity. The activity that has a loop sees its item.
 * A loop over activities stores the item in a session variable, so the activities inside the loop see it too.
 */
export function loopItems({ activities }: ActivityWorkflow): (id: string) => ReadonlySet<string> {
  const parts = new Map(activities.map(({ id, definition }) => [id, definition]));
  const items = new Map<string, Set<string>>();
  for (const [host, { loops = [] }] of parts) {
    for (const { variable, activities: entered = [] } of loops) {
      if (variable === undefined) continue;
      const inside = new Set(entered);
      for (const id of inside) {
        const part = id === host ? undefined : parts.get(id);
        for (const target of part === undefined ? [] : targetsOf(part)) inside.add(target.id);
      }
      for (const id of [host, ...inside]) items.set(id, (items.get(id) ?? new Set()).add(variable));
    }
  }
  return (id) => items.get(id) ?? none;
}

const none: ReadonlySet<string> = new Set();
