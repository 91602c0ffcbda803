import type { Activity, ActivityLoop, Branch, ConditionSource } from '@workflowlookup/schema';
import type { GraphSketch } from './arbitrary-workflows.ts';
import { peopleIn } from './reference-people.ts';
import type { Model, Vars, World, WorldWays } from './reference-world.ts';
import { says } from './reference-world.ts';

/** An activity workflow as the reference model sees it. */
export function graphWorld({ activities, more }: GraphSketch): World {
  const people = peopleIn(activities);
  const find = (id: string | undefined): Activity | undefined => activities.find((one) => one.id === id);
  const [mode] = more.modes ?? [];
  return {
    places: activities.map(({ id }) => id),
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
        gate: step.checkpoint,
        actions: step.actions ?? [],
      })),
    gates: (place) =>
      (find(place)?.checkpoints ?? []).map((gate) => ({
        id: gate.id,
        condition: gate.condition,
        approver: gate.approver,
        blocking: gate.blocking === true,
        timerMs: gate.autoAdvanceMs,
        preset: gate.defaultOption,
        sendsBack: undefined,
        options: gate.options.map(({ id, effect = {} }) => ({
          id,
          set: { ...effect.setVariable },
          goTo: effect.transitionTo,
          skip: effect.skipActivities,
        })),
      })),
    scope: () => ({}),
    repeats: (place) =>
      activities.some(({ loops = [] }) => loops.some((loop) => loop.activities?.includes(place) === true)),
    actions: (place, moment) => find(place)?.[`${moment}Actions`] ?? [],
    ways: (model, vars, skip) => ways(activities, model, { vars, skip }),
    ...people,
    past: (place, vars) => ownWays(find(place), vars).open[0],
  };
}

interface Moment {
  readonly vars: Vars;
  readonly skip: ReadonlySet<string>;
}

type Open = Exclude<WorldWays, 'stuck'>;

function ways(activities: readonly Activity[], model: Model, now: Moment): Open {
  if (model.current === undefined) return { open: activities.slice(0, 1).map(({ id }) => id), unsure: false };
  const here = activities.find(({ id }) => id === model.current);
  const hasOwn = [here?.transitions, here?.decisions, here?.loops].some((list) => (list ?? []).length > 0);
  if (hasOwn) return withLoops(here, model, now);
  return afterMember(activities, model, now);
}

/** A member of a loop without ways of its own leads on in the loop, the last one to where the host goes. */
function afterMember(activities: readonly Activity[], model: Model, now: Moment): Open {
  const id = model.current ?? '';
  const homes = activities.flatMap((host) =>
    (host.loops ?? []).map((loop) => ({ host, loop, members: loop.activities ?? [] })),
  );
  const home = homes.find(({ loop, members }) => members.includes(id) && visits(model, id) <= bound(loop));
  if (home === undefined) return { open: [], unsure: false };
  const next = home.members.slice(home.members.indexOf(id) + 1).find((later) => !now.skip.has(later));
  return next === undefined ? withLoops(home.host, model, now) : { open: [next], unsure: false };
}

function withLoops(activity: Activity | undefined, model: Model, now: Moment): Open {
  const again = (activity?.loops ?? []).flatMap((loop) => {
    const first = loop.activities?.find((id) => !now.skip.has(id));
    return first !== undefined && runs(loop, visits(model, first), now.vars) ? [first] : [];
  });
  const own = ownWays(activity, now.vars, again.length > 0);
  return { open: [...again, ...own.open], unsure: own.unsure };
}

function runs(loop: ActivityLoop, done: number, vars: Vars): boolean {
  const items = loop.type === 'forEach' && loop.over !== undefined ? vars[loop.over] : undefined;
  if (done >= Math.min(bound(loop), Array.isArray(items) ? items.length : Infinity)) return false;
  if (loop.type === 'doWhile' && done === 0) return true;
  const isBroken = loop.breakCondition !== undefined && says(loop.breakCondition, vars);
  return !isBroken && says(loop.condition, vars);
}

function ownWays(activity: Activity | undefined, vars: Vars, isTaken = false): Open {
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
    open: open.length > 0 || isTaken ? open : rest,
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
