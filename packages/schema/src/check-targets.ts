import { reservedTargets } from './activity.ts';
import type { Activity, Effect } from './activity.ts';
import { initialActivityOf } from './activity-workflow.ts';
import type { ActivityWorkflow } from './activity-workflow.ts';
import { inActivity } from './file-finding.ts';
import type { FileFinding } from './file-finding.ts';
import { createSuggester } from './suggester.ts';

/** An activity that is named, and where. */
export interface Target {
  readonly id: string;
  readonly pointer: string;
  /** What names it, in words. */
  readonly by: string;
  /** It is a way on, and may also be a reserved word. */
  readonly leadsOn: boolean;
}

/** What the checks of targets look at. */
export interface TargetScope {
  readonly workflow: ActivityWorkflow;
  /** Path of the workflow file. */
  readonly file: string;
  /** Ids of activities that are there and could not be used: naming them is no further problem. */
  readonly broken: ReadonlySet<string>;
}

/** Activities that are named and are not there, and those that no way leads to. */
export function* checkTargets(scope: TargetScope): Generator<FileFinding> {
  const known = new Set([...scope.workflow.activities.map(({ id }) => id), ...scope.broken]);
  const naming: Naming = { known, suggest: createSuggester(known) };
  yield* ofWorkflow(scope, naming);
  for (const part of scope.workflow.activities) {
    for (const target of targetsOf(part.definition)) {
      if (known.has(target.id) || (target.leadsOn && reservedTargets.includes(target.id))) continue;
      yield { ...missing(target, naming), ...inActivity(part, target.pointer), served: true };
    }
  }
  yield* unreachable(scope);
}

/** The activities that may be named, and the one that was likely meant. */
interface Naming {
  readonly known: ReadonlySet<string>;
  readonly suggest: ReturnType<typeof createSuggester>;
}

function* ofWorkflow({ workflow, file }: TargetScope, naming: Naming): Generator<FileFinding> {
  const { initialActivity, modes = [] } = workflow.definition;
  if (initialActivity !== undefined && !naming.known.has(initialActivity)) {
    const by = 'The workflow starts with';
    yield {
      ...missing({ id: initialActivity, pointer: '/initialActivity', by, leadsOn: false }, naming),
      file,
    };
  }
  for (const [at, mode] of modes.entries()) {
    const targets = listed(mode.skipActivities, `/modes/${at}/skipActivities`, `Mode '${mode.id}' skips`);
    for (const target of targets) {
      if (!naming.known.has(target.id)) yield { ...missing(target, naming), file, served: true };
    }
  }
}

function missing({ id, pointer, by, leadsOn }: Target, { suggest }: Naming): Omit<FileFinding, 'file'> {
  const orEnd = leadsOn ? ", or write 'end' where nothing follows" : '';
  return {
    severity: 'error',
    code: 'unknown-activity',
    pointer,
    message: `${by} activity '${id}', which the workflow does not have`,
    suggestion: suggest(id, `Add a file 'activities/NN-${id}', or correct the name${orEnd}`),
  };
}

/** The activities that an activity names, and where. */
export function* targetsOf(activity: Activity): Generator<Target> {
  for (const [at, { to }] of (activity.transitions ?? []).entries()) {
    yield { id: to, pointer: `/transitions/${at}/to`, by: 'A transition leads to', leadsOn: true };
  }
  for (const [at, { id, branches }] of (activity.decisions ?? []).entries()) {
    for (const [nth, { transitionTo }] of branches.entries()) {
      const pointer = `/decisions/${at}/branches/${nth}/transitionTo`;
      const by = `Decision '${id}' leads to`;
      if (transitionTo !== undefined) yield { id: transitionTo, pointer, by, leadsOn: true };
    }
  }
  for (const [at, { id, options }] of (activity.checkpoints ?? []).entries()) {
    for (const [nth, { effect }] of options.entries()) {
      yield* targetsOfEffect(effect, `/checkpoints/${at}/options/${nth}/effect`, id);
    }
  }
  for (const [at, { id, activities }] of (activity.loops ?? []).entries()) {
    yield* listed(activities, `/loops/${at}/activities`, `Loop '${id}' repeats`);
  }
}

function* targetsOfEffect(
  { transitionTo, skipActivities }: Effect = {},
  pointer: string,
  checkpoint: string,
): Generator<Target> {
  const by = `Checkpoint '${checkpoint}'`;
  if (transitionTo !== undefined) {
    yield { id: transitionTo, pointer: `${pointer}/transitionTo`, by: `${by} leads to`, leadsOn: true };
  }
  yield* listed(skipActivities, `${pointer}/skipActivities`, `${by} skips`);
}

function* listed(ids: readonly string[] = [], pointer: string, by: string): Generator<Target> {
  for (const [at, id] of ids.entries()) yield { id, pointer: `${pointer}/${at}`, by, leadsOn: false };
}

/** What can be reached from activities, they included. One without ways of its own leads on to the loop that it is part of. */
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

/** Activities that no way leads to; nothing can be said of that while an activity is broken. */
function* unreachable({ workflow, broken }: TargetScope): Generator<FileFinding> {
  const initial = initialActivityOf(workflow);
  if (broken.size > 0 || initial === undefined || !workflow.activities.some(({ id }) => id === initial))
    return;
  const reached = reachedFrom(workflow, [initial]);
  for (const part of workflow.activities) {
    if (reached.has(part.id)) continue;
    yield {
      ...inActivity(part, '/id'),
      severity: 'warning',
      code: 'unreachable',
      message: `Activity '${part.id}' can't be reached from '${initial}'`,
      suggestion: `Name it in a transition, a decision or an effect, or remove it`,
    };
  }
}
