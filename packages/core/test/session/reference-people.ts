import type { Activity, Step } from '@workflowlookup/schema';
import type { World } from './reference-world.ts';

/** Where people are asked, and which moves could pass by them: worked out from the definition alone, path by path. */
type People = Pick<World, 'needsPerson' | 'passesPerson' | 'sendsToPerson'>;

/** The people of an activity workflow. */
export function peopleIn(activities: readonly Activity[]): People {
  const all = activities.map(({ id }) => id);
  const find = (id: string): Activity | undefined => activities.find((one) => one.id === id);
  const edges = new Map(all.map((id) => [id, edgesOf(activities, id)]));
  /** Whether some path of at least one edge leads from one place to another, not through a third. */
  const path = (from: string, to: string, without?: string): boolean => {
    const seen = new Set<string>();
    const open = [...(edges.get(from) ?? [])];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (at === without || seen.has(at)) continue;
      if (at === to) return true;
      seen.add(at);
      open.push(...(edges.get(at) ?? []));
    }
    return false;
  };
  const decisive = new Set(
    activities.flatMap(({ transitions = [], decisions = [] }) =>
      [...transitions, ...decisions.flatMap(({ branches }) => branches)].map(({ condition }) =>
        typeof condition === 'string' ? condition.split(' ')[0] : undefined,
      ),
    ),
  );
  const needsPerson = (place: string, isHuman: boolean): boolean => {
    const { steps = [], checkpoints = [], loops = [] } = find(place) ?? {};
    const stops = [...steps, ...loops.flatMap((loop) => loop.steps ?? [])].map(
      ({ checkpoint }) => checkpoint,
    );
    return checkpoints.some(({ id, approver }) => approver === 'human' || (isHuman && stops.includes(id)));
  };
  return {
    needsPerson,
    sendsToPerson(place, isHuman) {
      const { loops = [], steps = [], entryActions = [], exitActions = [] } = find(place) ?? {};
      const members = loops.flatMap((loop) => loop.activities ?? []);
      if (members.some((member) => needsPerson(member, isHuman))) return true;
      const actions = [...entryActions, ...exitActions, ...steps.flatMap((step) => step.actions ?? [])];
      const isDeciding = actions.some(({ target = '' }) => decisive.has(target));
      return isDeciding && all.some((other) => needsPerson(other, isHuman) && path(place, other));
    },
    passesPerson({ current, isHuman }, target) {
      const here = current ?? all[0] ?? '';
      return all.some((person) => {
        if (!needsPerson(person, isHuman)) return false;
        const isAhead = path(here, person) || (current === undefined && person === here);
        if (target === undefined) return isAhead;
        if (target === person) return false;
        const isKnown = person === here || isAhead || person === all[0] || path(all[0] ?? '', person);
        if (isKnown && path(person, target)) return true;
        if (!isAhead && person !== here) return false;
        const free = all.filter((id) => id === target || (id !== person && path(target, id, person)));
        return free.some((id) => path(person, id) || canEnd(find(id), all));
      });
    },
  };
}

/** Where a place may lead, whatever the conditions. */
export function edgesOf(activities: readonly Activity[], id: string): readonly string[] {
  const here = activities.find((one) => one.id === id);
  const { transitions = [], decisions = [], checkpoints = [], loops = [] } = here ?? {};
  const around = activities.filter((host) =>
    (host.loops ?? []).some((loop) => loop.activities?.includes(id) === true),
  );
  return [
    ...transitions.map(({ to }) => to),
    ...decisions.flatMap(({ branches }) => branches.map(({ transitionTo = '' }) => transitionTo)),
    ...checkpoints.flatMap(({ options }) => options.map(({ effect }) => effect?.transitionTo ?? '')),
    ...loops.flatMap((loop) => loop.activities ?? []),
    ...(isDependent(here)
      ? around.flatMap((host) => [host.id, ...(host.loops ?? []).flatMap((loop) => loop.activities ?? [])])
      : []),
  ].filter((target) => activities.some((one) => one.id === target));
}

/** Whether an activity follows the loops it is in, once its own are done. */
function isDependent({ transitions = [], decisions = [] }: Partial<Activity> = {}): boolean {
  return transitions.length + decisions.length === 0;
}

/** A place where a session may find no open transition, or one that leaves the workflow. */
function canEnd(activity: Activity | undefined, all: readonly string[]): boolean {
  if (isDependent(activity)) return true;
  const { transitions = [], decisions = [] } = activity ?? {};
  const named = [
    ...transitions.map(({ to }) => to),
    ...decisions.flatMap(({ branches }) => branches.map(({ transitionTo }) => transitionTo)),
  ];
  if (named.some((to) => to !== undefined && !all.includes(to))) return true;
  const isLast = (condition: unknown, isDefault?: boolean): boolean =>
    isDefault === true || condition === undefined;
  if (transitions.some(({ condition, isDefault }) => isLast(condition, isDefault))) return false;
  return !decisions.some(({ branches }) => {
    const tested = branches.filter(({ condition, isDefault }) => !isLast(condition, isDefault));
    const [otherwise] = branches.filter(({ condition, isDefault }) => isLast(condition, isDefault));
    return [...tested, otherwise].every((branch) => branch?.transitionTo !== undefined);
  });
}

/** The people of a step workflow. */
export function peopleAmong(steps: readonly Step[]): People {
  const all = authored(steps, []);
  const isAsked = ({ step }: Authored, isHuman: boolean): boolean =>
    step.type !== 'loop' &&
    step.requireConfirmation !== undefined &&
    step.requireConfirmation !== false &&
    (isHuman || step.approver === 'human');
  const bare = (place: string): string => place.split('::').at(-1) ?? '';
  return {
    sendsToPerson: () => false,
    needsPerson: (place, isHuman) => all.some((one) => one.step.id === bare(place) && isAsked(one, isHuman)),
    passesPerson({ completed, current, isHuman }, target) {
      const done = [...completed, current];
      if (target !== undefined && done.includes(target)) return false;
      const goal = all.findIndex(({ step }) => step.id === bare(target ?? ''));
      return all.some((one, at) => {
        const isBefore = goal < 0 || at < goal;
        const isAround = goal >= 0 && one.loops.some((loop) => all[goal]?.loops.includes(loop) === true);
        const isSettled = one.loops.length === 0 && done.includes(one.step.id);
        return isAsked(one, isHuman) && (isBefore || isAround) && !isSettled;
      });
    },
  };
}

interface Authored {
  readonly step: Step;
  readonly loops: readonly string[];
}

function authored(steps: readonly Step[], loops: readonly string[]): readonly Authored[] {
  return steps.flatMap((step) =>
    step.type === 'loop' ? authored(step.body as readonly Step[], [...loops, step.id]) : [{ step, loops }],
  );
}
