import type { Action, Activity, ActivityWorkflowDefinition, Checkpoint, Step } from '@workflowlookup/schema';
import type { World } from './world.ts';

/** The part of {@link World} about people: where they are asked, and which moves could bypass them. It uses only the definition. */
type People = Pick<World, 'needsPerson' | 'passesPerson' | 'sendsToPerson' | 'mayAskFrom'>;

type Effect = NonNullable<Checkpoint['options'][number]['effect']>;

type Mode = NonNullable<ActivityWorkflowDefinition['modes']>[number];

/** Computes {@link People} for an activity workflow. */
export function peopleIn(activities: readonly Activity[], modes: readonly Mode[] = []): People {
  const all = activities.map(({ id }) => id);
  const find = (id: string): Activity | undefined => activities.find((one) => one.id === id);
  const edges = new Map(all.map((id) => [id, edgesOf(activities, id)]));
  /** Returns whether a path of at least one edge leads from one place to another and avoids the others. */
  const path = (from: string, to: string, ...without: readonly string[]): boolean => {
    const seen = new Set<string>();
    const open = [...(edges.get(from) ?? [])];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (without.includes(at) || seen.has(at)) continue;
      if (at === to) return true;
      seen.add(at);
      open.push(...(edges.get(at) ?? []));
    }
    return false;
  };
  /** Returns whether a variable can change where a session goes, whether a person is asked, or what a person is shown. */
  const decides = (name: string, isHuman: boolean, seen: readonly string[] = []): boolean => {
    const reads = (source: unknown): boolean => typeof source === 'string' && source.split(' ')[0] === name;
    const setting = (names: readonly (string | undefined)[]): boolean =>
      names.some(
        (other = '') => other !== name && !seen.includes(other) && decides(other, isHuman, [...seen, name]),
      );
    const shows = ({ name: title, message, options, approver }: Checkpoint): boolean => {
      const texts = [
        title,
        message,
        ...options.flatMap(({ label, description = '' }) => [label, description]),
      ];
      return (isHuman || approver === 'human') && texts.some((text) => text.includes(`{${name}}`));
    };
    const asks = ({ approver, options }: Checkpoint): boolean =>
      isHuman ||
      approver === 'human' ||
      options.some(({ effect = {} }) => goals(effect).length > 0) ||
      setting(options.flatMap(({ effect = {} }) => Object.keys(effect.setVariable ?? {})));
    const isActing = (actions: readonly Action[] = []): boolean =>
      setting(actions.filter(({ condition }) => reads(condition)).map(({ target }) => target));
    return (
      activities.some((one) => {
        const { steps = [], checkpoints = [], loops = [], transitions = [], decisions = [] } = one;
        const exits = [...transitions, ...decisions.flatMap(({ branches }) => branches)];
        return (
          exits.some(({ condition, isDefault }) => isDefault !== true && reads(condition)) ||
          loops.some(
            ({ condition, breakCondition, over }) =>
              reads(condition) || reads(breakCondition) || over === name,
          ) ||
          checkpoints.some(
            (checkpoint) => shows(checkpoint) || (reads(checkpoint.condition) && asks(checkpoint)),
          ) ||
          isActing([
            ...(one.entryActions ?? []),
            ...(one.exitActions ?? []),
            ...steps.flatMap(({ actions = [] }) => actions),
          ]) ||
          steps.some(
            ({ when, condition, checkpoint, actions = [] }) =>
              (reads(when) || reads(condition)) &&
              (checkpoints.some((declared) => declared.id === checkpoint && asks(declared)) ||
                setting(actions.map(({ target }) => target))),
          )
        );
      }) ||
      modes.some(
        ({ activationVariable, skipActivities = [], defaults = {} }) =>
          activationVariable === name && (skipActivities.length > 0 || setting(Object.keys(defaults))),
      )
    );
  };
  const needsPerson = (place: string, isHuman: boolean): boolean => {
    const { checkpoints = [] } = find(place) ?? {};
    return checkpoints.some(({ approver }) => approver === 'human' || isHuman);
  };
  /** Returns the variables that these activities may set. */
  const setBy = (work: readonly Activity[]): readonly string[] => [
    ...work.flatMap(({ steps = [], entryActions = [], exitActions = [] }) =>
      [...entryActions, ...exitActions, ...steps.flatMap(({ actions = [] }) => actions)].map(
        ({ target = '' }) => target,
      ),
    ),
    ...work.flatMap(({ loops = [] }) => loops.flatMap(({ variable = [] }) => variable)),
    ...effectsIn(work).flatMap(({ setVariable = {} }) => Object.keys(setVariable)),
  ];
  return {
    needsPerson,
    sendsToPerson(place, isHuman) {
      const here = find(place);
      const people = all.filter((other) => needsPerson(other, isHuman));
      const reaches = (from: string, to: string, without: readonly string[]): boolean =>
        from === to || path(from, to, ...without);
      const members = (here?.loops ?? []).flatMap((loop) => loop.activities ?? []);
      const around = activities.flatMap(({ id, loops = [] }) =>
        loops.flatMap(({ activities: list = [] }) =>
          list.includes(place) ? [[place, id, list[list.indexOf(place) + 1] ?? place]] : [],
        ),
      );
      const missed = all.filter(
        (other) =>
          other !== place &&
          (members.some((member) => reaches(member, other, [place])) ||
            around.some((without) =>
              targetsOf(here).some((to) => !without.includes(to) && reaches(to, other, without)),
            )),
      );
      if (missed.some((other) => people.includes(other))) return true;
      const work = [place, ...missed].flatMap((id) => find(id) ?? []);
      const effects = effectsIn(work);
      const names = setBy(work);
      const isAhead = people.some((other) => path(place, other));
      if (isAhead && names.some((name) => decides(name, isHuman))) return true;
      const mayMiss = (person: string): boolean =>
        canEnd(here, all) ||
        targetsOf(here).some(
          (to) =>
            to !== person &&
            all.some((id) => reaches(to, id, [person]) && id !== person && canEnd(find(id), all)),
        );
      return effects
        .flatMap(goals)
        .some((to) => people.some((person) => reaches(to, person, []) && mayMiss(person)));
    },
    mayAskFrom: (place, isHuman, skip) =>
      all.some((person) => needsPerson(person, isHuman) && !skip.has(person) && path(place, person)),
    passesPerson({ current, isHuman }, target) {
      const here = current ?? all[0] ?? '';
      const people = all.filter((place) => needsPerson(place, isHuman));
      const isAhead = people.some(
        (person) => path(here, person) || (current === undefined && person === here),
      );
      if (target === undefined) return isAhead;
      // The generated workflows never have an initial activity.
      const isEntry =
        target === all[0] || !all.some((id) => id !== target && edges.get(id)?.includes(target) === true);
      return isAhead || (people.length > 0 && (current !== undefined || !isEntry));
    },
  };
}

/** Returns the places to which a place may lead, regardless of conditions. */
export function edgesOf(activities: readonly Activity[], id: string): readonly string[] {
  const ends = endsIn(activities);
  const around = activities.filter(({ id: host, loops = [] }) =>
    loops.some((loop) => ends.some((end) => end.id === id && end.key === `${host}/${loop.id}`)),
  );
  return [...namedEdges(activities, id), ...around.flatMap((host) => [host.id, ...namedBy(host)])];
}

/** Returns the places to which a place may lead by its own definition and by the loops that name it. */
function namedEdges(activities: readonly Activity[], id: string): readonly string[] {
  const here = activities.find((one) => one.id === id);
  const { transitions = [], decisions = [], checkpoints = [], loops = [] } = here ?? {};
  const around = isDependent(here) ? activities.filter((host) => namedBy(host).includes(id)) : [];
  return [
    ...transitions.map(({ to }) => to),
    ...decisions.flatMap(({ branches }) => branches.map(({ transitionTo = '' }) => transitionTo)),
    ...checkpoints.flatMap(({ options }) => options.map(({ effect }) => effect?.transitionTo ?? '')),
    ...loops.flatMap((loop) => loop.activities ?? []),
    ...around.flatMap((host) => [host.id, ...namedBy(host)]),
  ].filter((target) => activities.some((one) => one.id === target));
}

function namedBy({ loops = [] }: Partial<Activity> = {}): readonly string[] {
  return loops.flatMap((loop) => loop.activities ?? []);
}

/** A place without transitions that belongs to a loop although the loop does not name it. */
interface End {
  readonly id: string;
  readonly key: string;
  /** The activity of the loop that leads there. Absent if there are several, because then the next activity of the loop is unknown. */
  readonly after: string | undefined;
}

const knownEnds = new WeakMap<readonly Activity[], readonly End[]>();

export function endsIn(activities: readonly Activity[]): readonly End[] {
  const known = knownEnds.get(activities);
  if (known !== undefined) return known;
  const found = activities.flatMap((place) => {
    const isNamed = activities.some((host) => host.id !== place.id && namedBy(host).includes(place.id));
    if (!isDependent(place) || isNamed) return [];
    return activities.flatMap((host) => {
      const isAround = namedInside(activities, place.id).has(host.id);
      if (isAround || !insideOf(activities, host.id).has(place.id)) return [];
      const named = namedInside(activities, host.id);
      const after = [...named].filter((id) => {
        const others = new Set([...named, host.id]);
        return pathsFrom(activities, namedEdges(activities, id), others).has(place.id);
      });
      return (host.loops ?? [])
        .filter((loop) => after.some((id) => loop.activities?.includes(id) === true))
        .map((loop) => ({
          id: place.id,
          key: `${host.id}/${loop.id}`,
          after: after.length === 1 ? after[0] : undefined,
        }));
    });
  });
  knownEnds.set(activities, found);
  return found;
}

/** Returns the activities that the loops of a host name, and those that the loops inside name. */
function namedInside(activities: readonly Activity[], host: string): ReadonlySet<string> {
  const named = new Set<string>();
  const name = (id: string): void => {
    for (const member of namedBy(activities.find((one) => one.id === id))) {
      if (member === host || named.has(member)) continue;
      named.add(member);
      name(member);
    }
  };
  name(host);
  return named;
}

function pathsFrom(
  activities: readonly Activity[],
  from: readonly string[],
  without: ReadonlySet<string>,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const todo = [...from];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if (without.has(at) || seen.has(at)) continue;
    seen.add(at);
    todo.push(...namedEdges(activities, at));
  }
  return seen;
}

/** Returns all activities inside the loops of a host: those that the loops name, and those that only these lead to. */
export function insideOf(activities: readonly Activity[], host: string): ReadonlySet<string> {
  const named = namedInside(activities, host);
  const without = new Set([...named, host]);
  const start = activities.slice(0, 1).map(({ id }) => id);
  const elsewhere = pathsFrom(activities, [...start, ...namedEdges(activities, host)], without);
  const behind = pathsFrom(
    activities,
    [...named].flatMap((id) => namedEdges(activities, id)),
    without,
  );
  return new Set([...named, ...[...behind].filter((id) => !elsewhere.has(id))]);
}

/** Returns the targets of the decisions and transitions of an activity. */
function targetsOf({ transitions = [], decisions = [] }: Partial<Activity> = {}): readonly string[] {
  const branches = decisions.flatMap((decision) => decision.branches);
  return [...transitions.map(({ to }) => to), ...branches.flatMap(({ transitionTo = [] }) => transitionTo)];
}

/** Returns the effects of all options in these activities. */
function effectsIn(work: readonly Activity[]): readonly Effect[] {
  return work
    .flatMap(({ checkpoints = [] }) => checkpoints)
    .flatMap(({ options }) => options.flatMap(({ effect }) => effect ?? []));
}

/** Returns the activities that the effect of an answer names. */
function goals({ transitionTo, skipActivities = [] }: Effect): readonly string[] {
  return [...(transitionTo === undefined ? [] : [transitionTo]), ...skipActivities];
}

/** Returns whether the loop around an activity determines where it leads, because it has no transitions and decisions. */
function isDependent({ transitions = [], decisions = [] }: Partial<Activity> = {}): boolean {
  return transitions.length + decisions.length === 0;
}

/** Returns whether a session at an activity may find no open transition, or one to the end. */
function canEnd(activity: Activity | undefined, all: readonly string[]): boolean {
  if (isDependent(activity)) return true;
  const { transitions = [], decisions = [] } = activity ?? {};
  if (targetsOf(activity).some((to) => !all.includes(to))) return true;
  const isLast = (condition: unknown, isDefault?: boolean): boolean =>
    isDefault === true || condition === undefined;
  if (transitions.some(({ condition, isDefault }) => isLast(condition, isDefault))) return false;
  return !decisions.some(({ branches }) => {
    const tested = branches.filter(({ condition, isDefault }) => !isLast(condition, isDefault));
    const [otherwise] = branches.filter(({ condition, isDefault }) => isLast(condition, isDefault));
    return [...tested, otherwise].every((branch) => branch?.transitionTo !== undefined);
  });
}

/** Computes {@link People} for a step workflow. */
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
    mayAskFrom: () => false,
    needsPerson: (place, isHuman) => all.some((one) => one.step.id === bare(place) && isAsked(one, isHuman)),
    passesPerson({ completed, current, isHuman }, target) {
      const done = [...completed, current];
      return all.some(
        (one) =>
          isAsked(one, isHuman) &&
          (target !== undefined || one.loops.length > 0 || !done.includes(one.step.id)),
      );
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
