import type { Action, Activity, ActivityWorkflowDefinition, Checkpoint, Step } from '@workflowlookup/schema';
import type { World } from './reference-world.ts';

/** Where people are asked, and which moves could pass by them: worked out from the definition alone, path by path. */
type People = Pick<World, 'needsPerson' | 'passesPerson' | 'sendsToPerson' | 'mayAskFrom'>;

type Effect = NonNullable<Checkpoint['options'][number]['effect']>;

type Mode = NonNullable<ActivityWorkflowDefinition['modes']>[number];

/** The people of an activity workflow. */
export function peopleIn(activities: readonly Activity[], modes: readonly Mode[] = []): People {
  const all = activities.map(({ id }) => id);
  const find = (id: string): Activity | undefined => activities.find((one) => one.id === id);
  const edges = new Map(all.map((id) => [id, edgesOf(activities, id)]));
  /** Whether some path of at least one edge leads from one place to another, not through others. */
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
  /** Whether the value of a variable can make a difference to where a session goes, or to who is asked. */
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
        const ways = [...transitions, ...decisions.flatMap(({ branches }) => branches)];
        return (
          ways.some(({ condition, isDefault }) => isDefault !== true && reads(condition)) ||
          loops.some(
            ({ condition, breakCondition, over }) =>
              reads(condition) || reads(breakCondition) || over === name,
          ) ||
          checkpoints.some((gate) => shows(gate) || (reads(gate.condition) && asks(gate))) ||
          isActing([
            ...(one.entryActions ?? []),
            ...(one.exitActions ?? []),
            ...steps.flatMap(({ actions = [] }) => actions),
          ]) ||
          steps.some(
            ({ when, condition, checkpoint, actions = [] }) =>
              (reads(when) || reads(condition)) &&
              (checkpoints.some((gate) => gate.id === checkpoint && asks(gate)) ||
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
              waysOf(here).some((to) => !without.includes(to) && reaches(to, other, without)),
            )),
      );
      if (missed.some((other) => people.includes(other))) return true;
      const work = [place, ...missed].flatMap((id) => find(id) ?? []);
      const effects = work
        .flatMap(({ checkpoints = [] }) => checkpoints)
        .flatMap(({ options }) => options.flatMap(({ effect }) => effect ?? []));
      const names = [
        ...work.flatMap(({ steps = [], entryActions = [], exitActions = [] }) =>
          [...entryActions, ...exitActions, ...steps.flatMap(({ actions = [] }) => actions)].map(
            ({ target = '' }) => target,
          ),
        ),
        ...work.flatMap(({ loops = [] }) => loops.flatMap(({ variable = [] }) => variable)),
        ...effects.flatMap(({ setVariable = {} }) => Object.keys(setVariable)),
      ];
      const isAhead = people.some((other) => path(place, other));
      if (isAhead && names.some((name) => decides(name, isHuman))) return true;
      const mayMiss = (person: string): boolean =>
        canEnd(here, all) ||
        waysOf(here).some(
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
    passesPerson({ completed, current, isHuman }, target) {
      const here = current ?? all[0] ?? '';
      return all.some((person) => {
        if (!needsPerson(person, isHuman)) return false;
        const isAhead = path(here, person) || (current === undefined && person === here);
        if (target === undefined) return isAhead;
        if (target === person) return false;
        const isKnown = person === here || isAhead || person === all[0] || path(all[0] ?? '', person);
        if (isKnown && path(person, target)) return true;
        const free = all.filter((id) => id === target || (id !== person && path(target, id, person)));
        if (isAhead || person === here) return free.some((id) => path(person, id) || canEnd(find(id), all));
        const isNew = target !== current && !completed.includes(target);
        return isKnown && isNew && free.some((id) => path(person, id));
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

/** Where the decisions and transitions of an activity lead. */
function waysOf({ transitions = [], decisions = [] }: Partial<Activity> = {}): readonly string[] {
  const branches = decisions.flatMap((decision) => decision.branches);
  return [...transitions.map(({ to }) => to), ...branches.flatMap(({ transitionTo = [] }) => transitionTo)];
}

/** The activities that the effect of an answer names. */
function goals({ transitionTo, skipActivities = [] }: Effect): readonly string[] {
  return [...(transitionTo === undefined ? [] : [transitionTo]), ...skipActivities];
}

/** Whether an activity follows the loops it is in, once its own are done. */
function isDependent({ transitions = [], decisions = [] }: Partial<Activity> = {}): boolean {
  return transitions.length + decisions.length === 0;
}

/** A place where a session may find no open transition, or one that leaves the workflow. */
function canEnd(activity: Activity | undefined, all: readonly string[]): boolean {
  if (isDependent(activity)) return true;
  const { transitions = [], decisions = [] } = activity ?? {};
  if (waysOf(activity).some((to) => !all.includes(to))) return true;
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
    mayAskFrom: () => false,
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
