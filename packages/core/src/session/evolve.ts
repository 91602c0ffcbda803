import type { SessionEvent, SetBy, VariableOwner } from './session-event.ts';
import type {
  AnsweredGate,
  FrozenQuestion,
  OpenGate,
  SessionState,
  VariableOrigin,
} from './session-state.ts';

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
  return {
    sid,
    revision: 1,
    workflowId,
    version,
    digest,
    ...(source === undefined ? {} : { source }),
    enforcement,
    ...(parent === undefined ? {} : { parent }),
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
    ...(policy === undefined ? {} : { policy }),
    drivers: event.credential === undefined ? [] : [event.credential],
    answered: [],
    lastCondition: '',
  };
}

/** A journal of an older version tells what was handed on from what has its default, and no more. */
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
      return enter(next, event);
    case 'checkpoint-yielded':
      return stop(next, event, at);
    case 'checkpoint-answered':
      return answer(next, event, at);
    case 'session-completed':
      return complete(next, event);
  }
}

function stop(
  state: SessionState,
  event: SessionEventOf<'checkpoint-yielded'>,
  yieldedAt: string,
): SessionState {
  const { checkpoint, activity, approver } = event;
  const { revision } = state;
  const open: OpenGate = {
    checkpoint,
    activity,
    yieldedAt,
    ...(approver === undefined ? {} : { approver }),
    revision,
  };
  const written = drive(assign(state, event.variables ?? {}, originsIn(event, revision)), event);
  return { ...written, gate: open, frozen: otherQuestions(state, event) };
}

function enter(state: SessionState, event: SessionEventOf<'activity-entered'>): SessionState {
  const written = assign(leave(state), event.variables, originsIn(event, state.revision));
  const { expected: _expected, ...rest } = drive(written, event);
  const { activity } = event;
  return {
    ...rest,
    current: activity,
    since: rest.revision,
    visits: { ...rest.visits, [activity]: visitsOf(rest.visits, activity) + 1 },
    frozen: state.frozen.flatMap((one) => thaw(one, state.current, event)),
    answered: [],
    lastCondition: event.condition,
  };
}

/**
 * What is left of a freeze when an activity is entered. The first activity that the workflow leads to from the question is
 * the one the answer opened; where the answer names it, no other is. The freeze ends when the session leaves that one.
 * An agent that goes where the workflow has no transition takes the freeze with it.
 */
function thaw(
  frozen: FrozenQuestion,
  from: string | undefined,
  { activity, strayed }: SessionEventOf<'activity-entered'>,
): readonly FrozenQuestion[] {
  const { opened, leadsTo } = frozen;
  if (opened !== undefined) return opened === from ? [] : [frozen];
  if (leadsTo === activity) return [{ ...frozen, opened: activity }];
  return strayed === true || from !== frozen.activity ? [frozen] : [{ ...frozen, opened: activity }];
}

/** The questions whose answers are not asked for anew. */
function otherQuestions(
  { frozen }: SessionState,
  { checkpoint, activity }: Pick<FrozenQuestion, 'checkpoint' | 'activity'>,
): SessionState['frozen'] {
  return frozen.filter((one) => one.checkpoint !== checkpoint || one.activity !== activity);
}

/** How often an activity was entered; an id may be the name of something every object has. */
export function visitsOf(visits: SessionState['visits'], activity: string): number {
  return Object.hasOwn(visits, activity) ? (visits[activity] ?? 0) : 0;
}

function answer(state: SessionState, event: SessionEventOf<'checkpoint-answered'>, at: string): SessionState {
  const origins = originsIn(event, state.revision);
  const { gate: _gate, ...rest } = assign(state, event.variables, origins);
  const { checkpoint, activity, effect } = event;
  const answered: AnsweredGate = { checkpoint, activity, answer: event.answer, at };
  return {
    ...rest,
    owners: ownersAfter(state.owners, event),
    frozen: frozenAfter(state, event),
    answered: [...rest.answered, answered],
    lastAnswer: answered,
    skipped: [...new Set([...rest.skipped, ...(effect?.skipActivities ?? [])])],
    ...(effect?.transitionTo === undefined ? {} : { expected: effect.transitionTo }),
  };
}

/** What an answer sets belongs to its checkpoint; what an earlier answer to it set, and this one does not, to nobody. */
function ownersAfter(
  owners: SessionState['owners'],
  { checkpoint, activity, answer: given, effect }: SessionEventOf<'checkpoint-answered'>,
): SessionState['owners'] {
  if (given.kind === 'dismissed') return owners;
  const others = Object.entries(owners).filter(
    ([, owner]) => owner.checkpoint !== checkpoint || owner.activity !== activity || owner.sid !== undefined,
  );
  const own = Object.keys(effect?.setVariable ?? {}).map((name): [string, VariableOwner] => [
    name,
    { checkpoint, activity },
  ]);
  return Object.fromEntries([...others, ...own]);
}

function frozenAfter(
  state: SessionState,
  { checkpoint, activity, effect, decided }: SessionEventOf<'checkpoint-answered'>,
): SessionState['frozen'] {
  const others = otherQuestions(state, { checkpoint, activity });
  if (decided === undefined || decided.shown.length === 0) return others;
  const leadsTo = effect?.transitionTo;
  const frozen = { checkpoint, activity, variables: decided.shown };
  return [...others, leadsTo === undefined ? frozen : { ...frozen, leadsTo }];
}

/** What is abandoned is not completed: the session stays where it was. */
function complete(state: SessionState, event: SessionEventOf<'session-completed'>): SessionState {
  const written = assign(state, event.variables, originsIn(event, state.revision));
  const { gate: _gate, expected: _expected, ...rest } = written;
  return event.outcome === undefined
    ? { ...leave(rest), status: 'completed', lastCondition: event.condition }
    : { ...rest, status: 'completed', outcome: event.outcome };
}

/** The current activity counts as completed once it is left. */
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

/** Who set the variables of an event. */
function originsIn(
  event: Exclude<SessionEvent, { type: 'session-started' }>,
  revision: number,
): SessionState['origins'] {
  const { setBy = {} } = event;
  const names = Object.keys(event.variables ?? {});
  if (event.type !== 'checkpoint-answered') {
    return Object.fromEntries(names.map((name) => [name, { by: setBy[name] ?? 'unknown', revision }]));
  }
  const { checkpoint, by: answeredBy, person, effect } = event;
  const decision = { checkpoint, answeredBy, ...(person === undefined ? {} : { person }) };
  const isSet = (name: string): boolean => Object.hasOwn(effect?.setVariable ?? {}, name);
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
