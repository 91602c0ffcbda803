import type { Json } from '@workflowlookup/schema';
import { defined, unlessEmpty } from '@workflowlookup/schema';
import type { AnsweredItem, RunningLoop, SessionEvent, SetBy } from './session-event.ts';
import type {
  AnsweredCheckpoint,
  AskedCheckpoint,
  FrozenQuestion,
  CheckpointSkip,
  NotDoneStep,
  OwnedVariable,
  SessionState,
  VariableOrigin,
} from './session-state.ts';
import { ownValue } from './session-state.ts';

/** An event and when it happened. */
export interface TimedEvent {
  /** ISO 8601. */
  readonly at: string;
  readonly event: SessionEvent;
}

/** The event of one type. */
export type SessionEventOf<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>;

/** The state a journal begins with. */
export function begin(
  sid: string,
  { event }: TimedEvent & { readonly event: SessionEventOf<'session-started'> },
): SessionState {
  const { workflowId, version, digest, enforcement, variables, assigned, parent, policy, source } = event;
  const state: SessionState = {
    sid,
    revision: 1,
    workflowId,
    version,
    digest,
    enforcement,
    status: 'active',
    since: 1,
    completed: [],
    visits: {},
    skipped: [],
    variables,
    assigned,
    origins: startOrigins(event),
    owners: event.owned ?? {},
    frozen: [],
    drivers: event.drivers ?? [],
    answered: [],
    lastCondition: '',
    ...defined({ source, parent, policy }),
  };
  return drive(state, event);
}

/** Journals of older versions only show whether a variable was passed on or has its default. */
function startOrigins({
  variables,
  assigned,
  setBy = {},
}: SessionEventOf<'session-started'>): SessionState['origins'] {
  const guess = (name: string): SetBy => (assigned.includes(name) ? 'trigger' : 'default');
  return Object.fromEntries(
    Object.keys(variables).map((name) => [name, { by: setBy[name] ?? guess(name), revision: 1 }]),
  );
}

/** The state after one more event. Pure: replaying a journal gives the state it was written with. */
export function evolve(state: SessionState, { at, event }: TimedEvent): SessionState {
  const next = { ...state, revision: state.revision + 1 };
  switch (event.type) {
    case 'session-started':
      return next;
    case 'activity-entered':
      return enter(unparked(next), event);
    case 'checkpoint-yielded':
      return stop(unparked(next), event, at);
    case 'checkpoint-answered':
      return answer(next, event, at);
    case 'evidence-collected':
      return prove(next, event, at);
    case 'session-completed':
      return complete(unparked(next), event);
    case 'session-parked':
      return park(next, event, at);
    case 'session-resumed':
      return drive(unparked(next), event);
  }
}

function park(state: SessionState, event: SessionEventOf<'session-parked'>, at: string): SessionState {
  const { reason, until, by, person } = event;
  return { ...drive(state, event), parked: defined({ reason, until, by, person, at }) };
}

/** Every event that continues the work ends the parking. */
function unparked(state: SessionState): SessionState {
  if (state.parked === undefined) return state;
  const { parked: _parked, ...rest } = state;
  return rest;
}

/** Most results that a state keeps. Older ones are of activities that were left long ago. */
const maxEvidence = 100;

function prove(state: SessionState, event: SessionEventOf<'evidence-collected'>, at: string): SessionState {
  const { activity, evidence: id, demand, folder, result } = event;
  const { output: _output, ...kept } = result;
  const others = (state.evidence ?? []).filter((one) => one.id !== id || one.activity !== activity);
  const { revision } = state;
  const recorded = defined({ id, activity, demand, revision, at, folder, result: kept });
  return { ...drive(state, event), evidence: [...others.slice(1 - maxEvidence), recorded] };
}

function stop(
  state: SessionState,
  event: SessionEventOf<'checkpoint-yielded'>,
  yieldedAt: string,
): SessionState {
  const { checkpoint, activity, approver, iteration } = event;
  const { revision } = state;
  return {
    ...drive(assign(state, event.variables ?? {}, originsIn(event, revision)), event),
    gate: defined({ checkpoint, activity, yieldedAt, iteration, approver, revision }),
    frozen: event.again === true ? state.frozen : otherQuestions(state, event),
  };
}

function enter(state: SessionState, event: SessionEventOf<'activity-entered'>): SessionState {
  const written = assign(leave(state), event.variables, originsIn(event, state.revision));
  const {
    expected: _expected,
    expectedBy: _by,
    loopsSince: _since,
    answeredBefore: _answers,
    ...rest
  } = drive(written, event);
  const { activity } = event;
  return {
    ...rest,
    current: activity,
    since: rest.revision,
    visits: { ...rest.visits, [activity]: visitsOf(rest.visits, activity) + 1 },
    ...(event.loops === undefined ? {} : { loops: event.loops, ...loopsSince(state, event.loops) }),
    frozen: state.frozen.flatMap((one) => thaw(one, state.current, event)),
    ...notDoneAfter(state, event),
    answered: [],
    ...answeredBefore(state, event),
    lastCondition: event.condition,
  };
}

/**
 * Keeps the answers of the visit if an agent enters its current activity again without a transition, because the agent
 * has not left the activity.
 */
function answeredBefore(
  { current, answered, answeredBefore: earlier = [] }: SessionState,
  { activity, strayed }: SessionEventOf<'activity-entered'>,
): Pick<SessionState, 'answeredBefore'> {
  const all = [...earlier, ...answered];
  return strayed === true && activity === current ? defined({ answeredBefore: unlessEmpty(all) }) : {};
}

/** Returns since when the session is in its loops. They are a new entry if it was in none of them before. */
function loopsSince(
  { loops: before = [], loopsSince: since, revision }: SessionState,
  loops: readonly RunningLoop[],
): Pick<SessionState, 'loopsSince'> {
  if (loops.length === 0) return {};
  const goesOn = loops.some((one) =>
    before.some((other) => other.activity === one.activity && other.loop === one.loop),
  );
  return { loopsSince: (goesOn ? since : undefined) ?? revision };
}

/**
 * Returns the freezes that remain when an activity is entered. An answer opens the activity that it names, or else the
 * first other activity that a transition leads to from the question. The freeze ends when the session leaves that
 * activity. It stays if an agent moves without a transition, and while the session may return to a question that is not
 * asked again; there it begins anew.
 */
function thaw(
  frozen: FrozenQuestion,
  from: string | undefined,
  { activity, strayed, kept = [] }: SessionEventOf<'activity-entered'>,
): readonly FrozenQuestion[] {
  const { opened, openedFirst: _first, leadsTo, ...rest } = frozen;
  if (opened !== undefined) {
    const isStaying = strayed === true && activity === from;
    if (opened !== from || isStaying) return [frozen];
    const stay = kept.find((one) => isSameCheckpoint(one, frozen));
    if (stay === undefined) return [];
    const going = strayed === true ? { ...rest, strayed } : rest;
    // The freeze still belongs to the activity that the approved answer opened, whichever activity the session enters
    // next.
    if (activity === frozen.activity)
      return [stay.opened === undefined ? going : { ...going, leadsTo: stay.opened }];
    const first = stay.opened === undefined ? {} : { openedFirst: stay.opened };
    return [{ ...going, opened: activity, ...first }];
  }
  if (leadsTo === activity) return [{ ...frozen, opened: activity }];
  const isOpening = strayed !== true && from === frozen.activity && activity !== frozen.activity;
  return [isOpening ? { ...frozen, opened: activity } : frozen];
}

/** The frozen questions except the one that is asked again. */
function otherQuestions({ frozen }: SessionState, asked: AskedCheckpoint): SessionState['frozen'] {
  return frozen.filter((one) => !isSameCheckpoint(one, asked));
}

/** Returns whether two records are about the same checkpoint. */
export function isSameCheckpoint(one: AskedCheckpoint, other: AskedCheckpoint): boolean {
  return one.checkpoint === other.checkpoint && one.activity === other.activity;
}

/** Returns whether a decision belongs to a checkpoint of this session and not to one of the parent. */
export function isOfCheckpoint(
  one: AskedCheckpoint & Pick<OwnedVariable, 'sid'>,
  checkpoint: AskedCheckpoint,
): boolean {
  return one.sid === undefined && isSameCheckpoint(one, checkpoint);
}

/** Returns how often an activity was entered. */
export function visitsOf(visits: SessionState['visits'], activity: string): number {
  return ownValue(visits, activity) ?? 0;
}

function answer(state: SessionState, event: SessionEventOf<'checkpoint-answered'>, at: string): SessionState {
  const origins = originsIn(event, state.revision);
  const { gate: open, ...rest } = withTransition(assign(state, event.variables, origins), event);
  const { checkpoint, activity } = event;
  const note = event.by === 'human' ? event.note : undefined;
  const answered: AnsweredCheckpoint = defined({
    checkpoint,
    activity,
    answer: event.answer,
    iteration: open?.iteration,
    note,
    at,
  });
  return {
    ...rest,
    ...skipsAfter(state, event),
    owners: ownersAfter(state.owners, event),
    frozen: frozenAfter(state, event),
    answered: [...rest.answered, answered],
    lastAnswer: answered,
    ...takenAfter(state, event),
  };
}

/** A checkpoint that was not asked stays listed until somebody answers it after all. */
function takenAfter(
  { taken = [], revision, loops = [] }: SessionState,
  { checkpoint, activity, answer: given, origin }: SessionEventOf<'checkpoint-answered'>,
): Pick<SessionState, 'taken'> {
  const isTaken = origin?.channel === 'autonomy' && given.kind !== 'dismissed';
  const isReplaced = (one: AskedCheckpoint): boolean =>
    given.kind !== 'dismissed' && loops.length === 0 && isSameCheckpoint(one, { checkpoint, activity });
  const kept = taken.filter((one) => !isReplaced(one));
  const all = isTaken ? [...kept, { checkpoint, activity, option: given.option, revision }] : kept;
  return all.length === 0 && taken.length === 0 ? {} : { taken: all };
}

/**
 * Updates the next activity after an answer. A replaced answer no longer names it, and a person's answer can drop the
 * one that an agent's answer named.
 */
function withTransition(
  state: SessionState,
  { checkpoint, activity, effect, replaces, item, dropsNext }: SessionEventOf<'checkpoint-answered'>,
): SessionState {
  const asked = { checkpoint, activity };
  const { expected: _expected, expectedBy, ...rest } = state;
  if (effect?.transitionTo !== undefined)
    return { ...rest, expected: effect.transitionTo, expectedBy: defined({ ...asked, item }) };
  const isReplaced =
    replaces === true &&
    expectedBy !== undefined &&
    isSameCheckpoint(expectedBy, asked) &&
    isAboutSame(expectedBy.item, item);
  return isReplaced || dropsNext === true ? rest : state;
}

/**
 * Returns the skipped activities after an answer. If it replaces an earlier answer, the activities that only the
 * earlier one skipped are no longer skipped.
 */
function skipsAfter(
  { skipped, skippedBy = [] }: SessionState,
  { checkpoint, activity, effect, replaces, item }: SessionEventOf<'checkpoint-answered'>,
): Pick<SessionState, 'skipped' | 'skippedBy'> {
  const activities = effect?.skipActivities ?? [];
  const isUndone = (one: CheckpointSkip): boolean =>
    replaces === true && isSameCheckpoint(one, { checkpoint, activity }) && isAboutSame(one.item, item);
  const undone = new Set(skippedBy.filter(isUndone).flatMap((one) => one.activities));
  const kept = skippedBy.filter((one) => !isUndone(one));
  const now = activities.length === 0 ? kept : [...kept, defined({ checkpoint, activity, activities, item })];
  const all = [...skipped.filter((id) => !undone.has(id)), ...now.flatMap((one) => one.activities)];
  return {
    skipped: [...new Set(all)],
    ...(now.length === 0 && skippedBy.length === 0 ? {} : { skippedBy: now }),
  };
}

/**
 * Returns the owners of variables after an answer. A variable that an answer decided belongs to its checkpoint from
 * then on.
 */
function ownersAfter(
  owners: SessionState['owners'],
  { checkpoint, activity, effect, variables, item, owns = [] }: SessionEventOf<'checkpoint-answered'>,
): SessionState['owners'] {
  const isIts = (one: OwnedVariable): boolean => isOfCheckpoint(one, { checkpoint, activity });
  const others = (name: string): NonNullable<OwnedVariable['byItem']> => {
    const owner = ownValue(owners, name);
    return owner !== undefined && isIts(owner) ? aboutOthers(owner, item) : [];
  };
  const kept = Object.entries(owners).map(([name, owner]): [string, OwnedVariable] => {
    const isReplaced = item !== undefined && owner.byItem !== undefined && isIts(owner);
    return [name, isReplaced ? { ...owner, byItem: others(name) } : owner];
  });
  const names = [...owns, ...Object.keys(effect?.setVariable ?? {})];
  const added = names.map((name): [string, OwnedVariable] => {
    if (!Object.hasOwn(variables, name)) return [name, { checkpoint, activity, left: true }];
    if (item === undefined) return [name, { checkpoint, activity }];
    const value = variables[name] as Json;
    return [name, { checkpoint, activity, byItem: [...others(name), { item, value }] }];
  });
  return Object.fromEntries([...kept, ...added]);
}

/** Returns the values set by answers that a new answer does not replace. */
export function aboutOthers(
  { byItem = [] }: OwnedVariable,
  item: AnsweredItem | undefined,
): NonNullable<OwnedVariable['byItem']> {
  return byItem.filter((one) => !isAboutSame(one.item, item));
}

/**
 * Returns whether a new answer to a checkpoint replaces an earlier one. In a loop it does if it is about the same item,
 * even in a later visit of the activity, or if the loop was left and entered again.
 */
export function isAboutSame(earlier: AnsweredItem | undefined, now: AnsweredItem | undefined): boolean {
  if (now === undefined) return true;
  if (earlier === undefined) return false;
  if (earlier.entry !== now.entry) return true;
  return earlier.round === now.round && (earlier.visit !== now.visit || earlier.iteration === now.iteration);
}

function frozenAfter(
  state: SessionState,
  { checkpoint, activity, answer: given, effect, decided, item }: SessionEventOf<'checkpoint-answered'>,
): SessionState['frozen'] {
  if (given.kind === 'dismissed') return state.frozen;
  const asked = { checkpoint, activity };
  const others = otherQuestions(state, asked);
  const before = state.frozen.find((one) => isSameCheckpoint(one, asked));
  const kept = (before?.items ?? []).filter((one) => !isAboutSame(one, item));
  const stillShown = kept.length === 0 ? [] : (before?.variables ?? []);
  const variables = [...new Set([...stillShown, ...(decided?.shown ?? []), ...(decided?.unset ?? [])])];
  if (variables.length === 0) return others;
  const items = item && [...kept, item];
  return [...others, defined({ ...asked, variables, items, leadsTo: effect?.transitionTo })];
}

/** An abandoned session does not complete its activity: it stays at its current one. */
function complete(state: SessionState, event: SessionEventOf<'session-completed'>): SessionState {
  const written = assign(state, event.variables, originsIn(event, state.revision));
  const { gate: _gate, expected: _expected, expectedBy: _by, ...rest } = written;
  return event.outcome === undefined
    ? {
        ...leave(rest),
        ...notDoneAfter(state, event),
        status: 'completed',
        lastCondition: event.condition,
      }
    : { ...rest, status: 'completed', outcome: event.outcome };
}

/**
 * Returns the steps that are still not done after a manifest. A step that is done in a later visit of its activity is
 * removed, except in loops over activities, where that visit may be about another item.
 */
function notDoneAfter(
  { notDone = [], loops = [], revision }: SessionState,
  { from, manifest }: SessionEventOf<'activity-entered' | 'session-completed'>,
): Pick<SessionState, 'notDone'> {
  if (from === undefined) return {};
  const named = new Set(manifest.map(({ step_id: id }) => id));
  const kept = notDone.filter(
    ({ activity, step }) => loops.length > 0 || activity !== from || !named.has(step),
  );
  const added = manifest.flatMap(({ step_id: step, output, not_done: reason }): readonly NotDoneStep[] => {
    if (reason === undefined) return [];
    // In the journal, the digest of a long output stands in its place.
    const isEmpty = typeof output === 'string' && output.trim() === '';
    return [{ step, activity: from, reason, ...(isEmpty ? {} : { hasOutput: true }), revision }];
  });
  const all = [...kept, ...added];
  return all.length === 0 && notDone.length === 0 ? {} : { notDone: all };
}

/** Adds the current activity to the completed ones when it is left. */
function leave(state: SessionState): SessionState {
  const { current, ...rest } = state;
  if (current === undefined) return state;
  return { ...rest, completed: [...new Set([...state.completed, current])] };
}

function assign(
  state: SessionState,
  values: Readonly<Record<string, unknown>>,
  origins: SessionState['origins'],
): SessionState {
  const names = Object.keys(values);
  if (names.length === 0) return state;
  return {
    ...state,
    variables: { ...state.variables, ...values } as SessionState['variables'],
    assigned: [...new Set([...state.assigned, ...names])],
    origins: { ...state.origins, ...origins },
  };
}

/** Returns who set each variable of an event. */
function originsIn(
  event: SessionEventOf<
    'activity-entered' | 'checkpoint-yielded' | 'checkpoint-answered' | 'session-completed'
  >,
  revision: number,
): SessionState['origins'] {
  const { setBy = {} } = event;
  const names = Object.keys(event.variables ?? {});
  if (event.type !== 'checkpoint-answered') {
    return Object.fromEntries(names.map((name) => [name, { by: setBy[name] ?? 'unknown', revision }]));
  }
  const { checkpoint, by: answeredBy, person, effect } = event;
  const decision = defined({ checkpoint, answeredBy, person });
  const isSet = (name: string): boolean =>
    setBy[name] === 'checkpoint' || Object.hasOwn(effect?.setVariable ?? {}, name);
  return Object.fromEntries(
    names.map((name): [string, VariableOrigin] => [
      name,
      isSet(name) ? { by: 'checkpoint', revision, ...decision } : { by: 'mode', revision },
    ]),
  );
}

/** Remembers the credential of a call that worked on the session. */
function drive(state: SessionState, { credential }: { readonly credential?: string }): SessionState {
  if (credential === undefined || state.drivers.includes(credential)) return state;
  return { ...state, drivers: [...state.drivers, credential] };
}
