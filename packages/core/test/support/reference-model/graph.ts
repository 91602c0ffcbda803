import type { Activity, ActivityLoop, Branch, ConditionSource, Json } from '@workflowlookup/schema';
import type { GraphSketch } from '../arbitrary-workflows.ts';
import { edgesOf, endsIn, insideOf, peopleIn } from './people.ts';
import type { Entry, Model, Vars, OpenTransition, World } from './world.ts';
import { says } from './world.ts';

/** Returns the answers of an activity workflow to the questions of the reference model. */
export function graphWorld({ activities, more }: GraphSketch): World {
  const people = peopleIn(activities, more.modes);
  const find = (id: string | undefined): Activity | undefined => activities.find((one) => one.id === id);
  const [mode] = more.modes ?? [];
  return {
    places: activities.map(({ id }) => id),
    startsAnywhere: more.initialActivity === undefined,
    start: Object.fromEntries(
      (more.variables ?? []).flatMap((one) =>
        one.defaultValue === undefined ? [] : [[one.name, one.defaultValue]],
      ),
    ),
    types: new Map((more.variables ?? []).map(({ name, type }) => [name, type])),
    required: activities.filter(({ required }) => required).map(({ id }) => id),
    quick: mode && { skip: mode.skipActivities ?? [], defaults: { ...mode.defaults } },
    steps: (place) =>
      (find(place)?.steps ?? []).map((step) => ({
        id: step.id,
        tests: [step.when, step.condition],
        optional: step.required === false,
        checkpoint: step.checkpoint,
        actions: step.actions ?? [],
        fills: Object.keys(step.sets ?? {})[0],
        mayBeMissing: step.may_be_missing === true,
      })),
    gates: (place) =>
      (find(place)?.checkpoints ?? []).map((checkpoint) => ({
        id: checkpoint.id,
        condition: checkpoint.condition,
        approver: checkpoint.approver,
        blocking: checkpoint.blocking === true,
        timerMs: checkpoint.autoAdvanceMs,
        preset: checkpoint.defaultOption,
        sendsBack: undefined,
        isReversible: checkpoint.reversible === true,
        options: checkpoint.options.map(({ id, effect = {} }) => ({
          id,
          set: { ...effect.setVariable },
          goTo: effect.transitionTo,
          skip: effect.skipActivities,
        })),
      })),
    scope: () => ({}),
    lacksItem: () => false,
    repeats: (place) => activities.some(({ id }) => insideOf(activities, id).has(place)),
    actions: (place, moment) => find(place)?.[`${moment}Actions`] ?? [],
    openTransitions: (model, vars, skip) => {
      const { open, unsure } = openTransitions(activities, model, { vars, skip });
      return { open: open.map(({ to }) => to), unsure };
    },
    iterations: (model, entry) => iterationsAfter(activities, model, entry),
    kept: ({ iterations }) => {
      const running = [...iterations.keys()].flatMap((key) => loopOf(activities, key));
      const listed = running.filter(({ type, over }) => type === 'forEach' && over !== undefined);
      return {
        items: listed.flatMap(({ variable }) => variable ?? []),
        lists: listed.flatMap(({ over }) => over ?? []),
      };
    },
    ...people,
    outOfIterations({ current, ...model }, skip) {
      const passed: string[] = [];
      for (let place = current; place !== undefined;) {
        if (passed.includes(place)) return current;
        passed.push(place);
        const { transitions = [], decisions = [] } = find(place) ?? {};
        if (transitions.length + decisions.length > 0) return undefined;
        const home = homeOf(activities, { current, ...model }, place);
        const isInside =
          endsIn(activities).some(({ id }) => id === place) ||
          activities.some(({ loops = [] }) =>
            loops.some((loop) => loop.activities?.includes(place ?? '') === true),
          );
        if (home === undefined) return isInside ? place : undefined;
        const { host, later = [] } = home;
        if (later.some((id) => !skip.has(id))) return undefined;
        place = host;
      }
      return undefined;
    },
    past: (model, place, now) => transitionPast(activities, model, { ...now, id: place }),
    stays: (model, to, transition) => iterationsAlong(activities, model, { to, transition }),
  };
}

interface Moment {
  readonly vars: Vars;
  readonly skip: ReadonlySet<string>;
}

/** An activity, with those already examined on the way to it, so that the search ends. */
interface Passing extends Moment {
  readonly id: string;
  readonly passed?: readonly string[];
}

interface Open {
  readonly open: readonly OpenTransition[];
  readonly unsure: boolean;
}

function openTransitions(activities: readonly Activity[], model: Model, now: Moment): Open {
  const { current } = model;
  if (current !== undefined) return transitionsFrom(activities, model, { ...now, id: current });
  return { open: activities.slice(0, 1).map(({ id }) => ({ to: id, of: undefined })), unsure: false };
}

/** Returns the open transitions of an activity. Without decisions and transitions, it continues in the loop around it. */
function transitionsFrom(activities: readonly Activity[], model: Model, now: Passing): Open {
  const here = activities.find(({ id }) => id === now.id);
  const own = withLoops(activities, model, { ...now, activity: here });
  if ([here?.transitions, here?.decisions].some((list) => (list ?? []).length > 0)) return own;
  const on = transitionsInLoop(activities, model, now);
  return { open: own.open.length > 0 ? own.open : on.open, unsure: own.unsure || on.unsure };
}

/** Returns where the loop around an activity continues after it. Two hosts may each be at the end of the other's loop. */
function transitionsInLoop(activities: readonly Activity[], model: Model, now: Passing): Open {
  const { id: own, passed = [] } = now;
  const home = homeOf(activities, model, own);
  if (home === undefined || passed.includes(own)) return { open: [], unsure: false };
  const { host, key, later } = home;
  const next = later?.find((id) => !now.skip.has(id));
  return next === undefined
    ? transitionsFrom(activities, model, { ...now, id: host, passed: [...passed, own] })
    : { open: [{ to: next, of: host, loop: key }], unsure: false };
}

/** Returns the transition by which a skipped activity is passed. */
function transitionPast(
  activities: readonly Activity[],
  model: Model,
  now: Moment & { id: string },
): OpenTransition | undefined {
  const here = activities.find(({ id }) => id === now.id);
  const hasOwn = [here?.transitions, here?.decisions].some((list) => (list ?? []).length > 0);
  if (hasOwn) return ownTransitions(here, now.vars).open[0];
  const isInside = [...model.iterations.keys()].some(
    (key) =>
      endsIn(activities).some((end) => end.id === now.id && end.key === key) ||
      loopOf(activities, key).some((loop) => loop.activities?.includes(now.id) === true),
  );
  return isInside ? transitionsInLoop(activities, { ...model, current: now.id }, now).open[0] : undefined;
}

/** Returns the loop around an activity: the one whose iteration began last, or else the first that has iterations left for it. */
function homeOf(activities: readonly Activity[], model: Model, id: string) {
  const homes = activities.flatMap(({ id: host, loops = [] }) =>
    loops.flatMap((loop) => {
      const members = loop.activities ?? [];
      const key = `${host}/${loop.id}`;
      const end = endsIn(activities).find((one) => one.id === id && one.key === key);
      if (!members.includes(id) && end === undefined) return [];
      const later =
        end === undefined ? members.slice(members.indexOf(id) + 1) : laterThan(end.after, members);
      return [{ host, key, later, most: bound(loop), isOpen: end === undefined || id === model.current }];
    }),
  );
  const running = [...model.iterations.keys()]
    .toReversed()
    .find((key) => homes.some((one) => one.key === key));
  return homes.find(
    ({ key, later, most, isOpen }) =>
      later !== undefined && (running === undefined ? isOpen && visits(model, id) <= most : key === running),
  );
}

function laterThan(id: string | undefined, members: readonly string[]): readonly string[] | undefined {
  return id === undefined ? undefined : members.slice(members.indexOf(id) + 1);
}

function withLoops(
  activities: readonly Activity[],
  model: Model,
  { activity, ...now }: Moment & { activity: Activity | undefined },
): Open {
  const again = (activity?.loops ?? []).flatMap((loop): readonly OpenTransition[] => {
    const key = `${activity?.id ?? ''}/${loop.id}`;
    const first = loop.activities?.find((id) => !now.skip.has(id));
    return first !== undefined && runs(loop, model.iterations.get(key) ?? 0, now.vars)
      ? [{ to: first, of: activity?.id, loop: key, beginsIteration: true }]
      : [];
  });
  const own = ownTransitions(activity, now.vars, again.length > 0);
  const asking = again.findIndex(({ loop = '' }) => mayAskIn(activities, loop, { model, skip: now.skip }));
  return {
    open: asking < 0 ? [...again, ...own.open] : again.slice(0, asking + 1),
    unsure: own.unsure,
  };
}

/** Returns whether a person could be asked in an iteration of a loop. */
function mayAskIn(
  activities: readonly Activity[],
  key: string,
  { model, skip }: { model: Model; skip: ReadonlySet<string> },
): boolean {
  const host = key.split('/')[0] ?? '';
  const members = loopOf(activities, key).flatMap((loop) => loop.activities ?? []);
  const all = activities.find(({ id }) => id === host)?.loops ?? [];
  const barred = [host, ...all.flatMap((loop) => loop.activities ?? [])];
  const inside = insideOf(activities, host);
  const seen = new Set(members);
  for (const at of seen) {
    for (const to of edgesOf(activities, at)) if (!barred.includes(to)) seen.add(to);
  }
  const { needsPerson } = peopleIn(activities);
  return [...seen].some((id) => inside.has(id) && !skip.has(id) && needsPerson(id, model.isHuman));
}

function loopOf(activities: readonly Activity[], key: string): readonly ActivityLoop[] {
  return activities.flatMap(({ id, loops = [] }) => loops.filter((loop) => `${id}/${loop.id}` === key));
}

function iterationsAlong(
  activities: readonly Activity[],
  model: Model,
  { to, transition }: { readonly to: string; readonly transition: OpenTransition | undefined },
): Map<string, number> {
  const of = transition === undefined ? model.current : transition.of;
  return new Map(
    [...model.iterations].filter(([key]) => {
      const host = key.split('/')[0] ?? '';
      if (transition?.loop !== undefined && of === host) return true;
      const inside = insideOf(activities, host);
      return of !== undefined && inside.has(of) && (to === host || inside.has(to));
    }),
  );
}

/**
 * Returns the loops that a session is in after it enters a place. It stays in a loop if it takes a transition of the loop, or
 * one from an activity inside to another one or to the host.
 */
function iterationsAfter(
  activities: readonly Activity[],
  model: Model,
  entry: Entry,
): ReturnType<World['iterations']> {
  if (entry.isStray) return { iterations: new Map(model.iterations), sets: {} };
  const { open } = openTransitions(activities, model, entry);
  const answered = open.find(
    ({ to, of, beginsIteration }) => beginsIteration && to === entry.to && of === model.current,
  );
  const taken = entry.through ?? (entry.transition === undefined ? answered : open[entry.transition]);
  const iterations = iterationsAlong(activities, model, { to: entry.to, transition: taken });
  const { beginsIteration = false, loop: key = '' } = taken ?? {};
  if (!beginsIteration) return { iterations, sets: {} };
  const done = iterations.get(key) ?? 0;
  iterations.delete(key);
  const [loop] = loopOf(activities, key);
  const list = loop?.type === 'forEach' && loop.over !== undefined ? entry.vars[loop.over] : undefined;
  const isNamed = loop?.variable !== undefined && Array.isArray(list) && done < list.length;
  return {
    iterations: iterations.set(key, done + 1),
    sets: isNamed ? { [loop.variable ?? '']: (list as readonly Json[])[done] ?? null } : {},
  };
}

function runs(loop: ActivityLoop, done: number, vars: Vars): boolean {
  const items = loop.type === 'forEach' && loop.over !== undefined ? vars[loop.over] : undefined;
  if (done >= Math.min(bound(loop), Array.isArray(items) ? items.length : Infinity)) return false;
  if (loop.type === 'doWhile' && done === 0) return true;
  const isBroken = loop.breakCondition !== undefined && says(loop.breakCondition, vars);
  return !isBroken && says(loop.condition, vars);
}

function ownTransitions(activity: Activity | undefined, vars: Vars, isTaken = false): Open {
  const { decisions = [], transitions = [] } = activity ?? {};
  const branches = decisions.flatMap((decision) => decision.branches);
  const tested = transitions.filter((one) => one.condition !== undefined);
  const open = [
    ...branchTaken(branches, vars),
    ...tested.filter((one) => says(one.condition, vars)).map(({ to }) => to),
  ];
  const rest = transitions.filter((one) => one.condition === undefined).map(({ to }) => to);
  const leading = [...branches.filter((one) => one.transitionTo !== undefined), ...tested];
  return {
    open: (open.length > 0 || isTaken ? open : rest).map((to) => ({ to, of: activity?.id })),
    unsure: leading.some((one) => isUnsure(one.condition, vars)),
  };
}

function branchTaken(branches: readonly Branch[], vars: Vars): readonly string[] {
  const chosen =
    branches.find((one) => one.condition !== undefined && says(one.condition, vars)) ??
    branches.find((one) => one.condition === undefined);
  return chosen?.transitionTo === undefined ? [] : [chosen.transitionTo];
}

function isUnsure(condition: ConditionSource | undefined, vars: Vars): boolean {
  return vars['d'] === undefined && condition !== undefined && (condition as string).startsWith('d ');
}

function visits(model: Model, id: string): number {
  return model.visits.get(id) ?? 0;
}

function bound({ maxIterations = 100 }: ActivityLoop): number {
  return maxIterations;
}
