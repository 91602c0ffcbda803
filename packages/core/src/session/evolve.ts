import type { SessionEvent } from './session-event.ts';
import type { AnsweredGate, OpenGate, SessionState } from './session-state.ts';

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
  const { workflowId, version, digest, enforcement, variables, assigned, parent } = event;
  return {
    sid,
    revision: 1,
    workflowId,
    version,
    digest,
    enforcement,
    ...(parent === undefined ? {} : { parent }),
    status: 'active',
    since: 1,
    completed: [],
    visits: {},
    skipped: [],
    variables,
    assigned,
    answered: [],
    lastCondition: '',
  };
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
      return { ...next, gate: stopAt(event, at) };
    case 'checkpoint-answered':
      return answer(next, event, at);
    case 'session-completed':
      return complete(next, event);
  }
}

function stopAt(event: SessionEventOf<'checkpoint-yielded'>, yieldedAt: string): OpenGate {
  const { checkpoint, activity, approver } = event;
  return { checkpoint, activity, yieldedAt, ...(approver === undefined ? {} : { approver }) };
}

function enter(state: SessionState, event: SessionEventOf<'activity-entered'>): SessionState {
  const { expected: _expected, ...rest } = assign(leave(state), event.variables);
  const { activity } = event;
  return {
    ...rest,
    current: activity,
    since: rest.revision,
    visits: { ...rest.visits, [activity]: visitsOf(rest.visits, activity) + 1 },
    answered: [],
    lastCondition: event.condition,
  };
}

/** How often an activity was entered; an id may be the name of something every object has. */
export function visitsOf(visits: SessionState['visits'], activity: string): number {
  return Object.hasOwn(visits, activity) ? (visits[activity] ?? 0) : 0;
}

function answer(state: SessionState, event: SessionEventOf<'checkpoint-answered'>, at: string): SessionState {
  const { gate: _gate, ...rest } = assign(state, event.variables);
  const { checkpoint, activity, effect } = event;
  const answered: AnsweredGate = { checkpoint, activity, answer: event.answer, at };
  return {
    ...rest,
    answered: [...rest.answered, answered],
    lastAnswer: answered,
    skipped: [...new Set([...rest.skipped, ...(effect?.skipActivities ?? [])])],
    ...(effect?.transitionTo === undefined ? {} : { expected: effect.transitionTo }),
  };
}

/** What is abandoned is not completed: the session stays where it was. */
function complete(state: SessionState, event: SessionEventOf<'session-completed'>): SessionState {
  const { gate: _gate, expected: _expected, ...rest } = assign(state, event.variables);
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

function assign(state: SessionState, values: Readonly<Record<string, unknown>>): SessionState {
  const names = Object.keys(values);
  if (names.length === 0) return state;
  return {
    ...state,
    variables: { ...state.variables, ...values } as SessionState['variables'],
    assigned: [...new Set([...state.assigned, ...names])],
  };
}
