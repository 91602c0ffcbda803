import { assertAuthentic } from '@workflowlookup/storage/journal';
import { decide } from '../session/decide.ts';
import type { DecisionPolicy } from '../session/command.ts';
import { policyFor } from '../session/command.ts';
import { sessionPosition } from '../session/evaluate-move.ts';
import type { Navigator } from '../navigation/navigator.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import type { SessionState } from '../session/session-state.ts';
import type { Outcome } from './call-session.ts';
import { callSession } from './call-session.ts';
import type { Runnable } from './definitions.ts';
import type { OpenSession } from './open-session.ts';
import { openSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import { nowOf } from './parts.ts';
import { newDelivery, readActivity } from './read-calls.ts';
import type { ActivityReading, Arrival, Moved, Reply, Resumed, Started } from './sessions.ts';
import { readStatus, traced } from './trace.ts';
import { credentialOf, move } from './write-calls.ts';

/** Returns how a new session enters its first activity, or `undefined` if the caller has to choose or set something. */
export function firstEntry(
  parts: SessionParts,
  state: SessionState,
  { navigator }: Runnable,
): { readonly event: SessionEventOf<'activity-entered'>; readonly warnings: readonly string[] } | undefined {
  const { policy } = parts;
  if (entryPoints(state, navigator, policy).length > 0) return undefined;
  const { enforcement, gates, minResponseMs } = policy;
  const decision = decide(
    state,
    { kind: 'move', ...credentialOf(parts) },
    {
      navigator,
      nowMs: nowOf(parts),
      enforcement,
      gates,
      minResponseMs,
      // Nothing is submitted yet.
      judge: () => undefined,
    },
  );
  if (!decision.ok || decision.event.type !== 'activity-entered') return undefined;
  return { event: decision.event, warnings: decision.warnings };
}

/** Adds the activity that a session is at after a call to the value of the call. */
export async function withActivity<Value extends Moved | Resumed>(
  parts: SessionParts,
  session: OpenSession,
  { value, state = session.state, isRepeated }: Outcome<Value>,
): Promise<Value> {
  if (state.status === 'completed' || state.current === undefined) return value;
  // An agent that repeats a call did not get its answer, and the operations in it.
  return { ...value, reading: await readAt(parts, { ...session, state }, isRepeated === true) };
}

/** Adds the activity that a session is at to the reply of the call that started or resumed it. */
export async function withArrival(parts: SessionParts, reply: Reply<Started>): Promise<Reply<Started>> {
  const session = await openSession(parts, reply.token);
  // Somebody without the keys may have written everything that an agent would read here.
  if (session.session.unauthentic !== undefined) return reply;
  const moved = await enterLate(parts, reply, session);
  const { value, ...entered } = moved ?? { value: {} };
  const arrival =
    value.reading === undefined
      ? await arrivalAt(parts, moved === undefined ? session : await openSession(parts, moved.token))
      : activityArrival(session, value.reading);
  const warnings = [...reply.warnings, ...(moved?.warnings ?? [])];
  return { ...reply, ...entered, warnings, value: { ...reply.value, arrival } };
}

/** Enters the first activity of a session that was started without entering one. */
async function enterLate(
  parts: SessionParts,
  { token, value: { inherited } }: Reply<Started>,
  { state, runnable }: OpenSession,
): Promise<(Omit<Reply<Moved>, 'value'> & { readonly value: Resumed }) | undefined> {
  const isNew = state.current === undefined && state.status === 'active';
  if (inherited !== true || !isNew || firstEntry(parts, state, runnable) === undefined) return undefined;
  const reply = await callSession<Moved>(
    parts,
    { kind: 'move', token },
    (session) => move(parts, session, {}),
    (session, outcome) => withActivity(parts, session, outcome),
  );
  const { value, ...rest } = reply;
  return { ...rest, value: value.status === 'active' ? value : {} };
}

async function arrivalAt(parts: SessionParts, session: OpenSession): Promise<Arrival> {
  const { state, runnable } = session;
  const { status, current, gate } = state;
  if (status === 'active' && gate === undefined && current !== undefined)
    return activityArrival(session, await readAt(parts, session, false));
  const { navigator } = runnable;
  const ids = status === 'active' ? entryPoints(state, navigator, parts.policy) : [];
  return ids.length === 0
    ? { kind: 'status', status: await readStatus(parts, session) }
    : {
        kind: 'choice',
        entryPoints: ids.map((id) => ({ id, name: navigator.place(id, state).name })),
      };
}

function activityArrival({ runnable }: OpenSession, activity: ActivityReading): Arrival {
  const rules = runnable.kind === 'activities' ? runnable.workflow.definition.rules : undefined;
  return { kind: 'activity', activity, rules: rules ?? [] };
}

/** Reads the activity of a session, which the trace shows as a call of its own. */
async function readAt(parts: SessionParts, session: OpenSession, full: boolean): Promise<ActivityReading> {
  const { vault, state, agent } = session;
  assertAuthentic(session.session);
  const call = { kind: 'read-activity', vault, state, agentId: agent.id, startMs: nowOf(parts) } as const;
  const read = await traced(parts, call, async () => ({
    value: await readActivity(parts, session, { deliver: newDelivery(full), isBrief: true }),
    warnings: [],
  }));
  return read.value;
}

/**
 * Returns the activities at which a session that has not entered one can begin, if there are several. A strict session
 * begins at the first one. An activity is left out if beginning there could bypass a checkpoint that needs a person.
 */
function entryPoints(state: SessionState, navigator: Navigator, policy: DecisionPolicy): readonly string[] {
  const { entries = [] } = navigator;
  const { enforcement, gates } = policyFor(state, policy);
  if (state.current !== undefined || enforcement === 'strict') return [];
  const { completed } = state;
  const { skipped } = sessionPosition(state, navigator, {}, { gates });
  const legal = entries.filter(
    (id, at) =>
      !skipped.has(id) &&
      (at === 0 || navigator.passedBy({ current: undefined, completed, to: id }, gates) === undefined),
  );
  return legal.length > 1 ? legal : [];
}
