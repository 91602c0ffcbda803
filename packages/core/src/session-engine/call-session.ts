import { assertAuthentic } from '@workflowlookup/storage/journal';
import { hasDriven } from '../session/open-checkpoints.ts';
import { gateActive } from '../session/refusal.ts';
import type { SessionState } from '../session/session-state.ts';
import type { CallKind } from './call-kind.ts';
import { nowOf } from './clock.ts';
import type { OpenSession } from './open-session.ts';
import { openSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import { refusalError } from './refusals.ts';
import { nextToken } from './seal-token.ts';
import type { Reply } from './sessions.ts';
import { traced } from './trace.ts';

/** What the work of a call came to. */
export interface Outcome<Value> {
  readonly value: Value;
  readonly warnings?: readonly string[];
  /** Where the work moved the session, or found it moved. */
  readonly state?: SessionState;
  /** When the write was made; its token is the same however often it is asked for. */
  readonly atMs?: number;
  /** The skill that was loaded. */
  readonly skill?: string;
  readonly traceToken?: string;
}

/** Which call of which session. */
export interface SessionCall {
  readonly kind: CallKind;
  readonly token: string;
}

/** Calls that a waiting checkpoint holds back; writes are refused by what decides on them. */
const held: ReadonlySet<CallKind> = new Set([
  'read-activity',
  'read-resource',
  'read-skill',
  'read-skills',
  'read-trace',
  'read-workflow',
]);

/** Calls that say how the definition served now differs from the one that is pinned. */
const tellsDrift: ReadonlySet<CallKind> = new Set(['move', 'read-activity', 'read-workflow', 'status']);

const writes: ReadonlySet<CallKind> = new Set(['answer', 'move', 'yield']);

/** Opens a session, does the work of a call, and keeps the call in the trace, however it ends. */
export async function callSession<Value>(
  parts: SessionParts,
  { kind, token }: SessionCall,
  work: (session: OpenSession) => Promise<Outcome<Value>>,
): Promise<Reply<Value>> {
  const startMs = nowOf(parts);
  const session = await openSession(parts, token);
  const { vault, state: before } = session;
  parts.onSession?.(before.sid);
  const call = { kind, vault, state: before, agentId: writerOf(parts, session, kind), startMs };
  const outcome = await traced(parts, call, async () => {
    // Somebody without the keys may have written all that an agent would read here; a status is marked.
    if (kind !== 'status') assertAuthentic(session.session);
    const { gate } = before;
    if (gate !== undefined && held.has(kind)) {
      throw refusalError(gateActive(gate.checkpoint), before, parts.policy);
    }
    const { warnings = [], ...rest } = await work(session);
    return { ...rest, warnings: [...warningsOf(session, kind), ...warnings] };
  });
  const { value, warnings, state, atMs, skill, traceToken } = outcome;
  const next = nextToken(session, atMs ?? nowOf(parts), {
    ...(state === undefined ? {} : { state }),
    ...(skill === undefined ? {} : { skill }),
  });
  return { value, token: next, warnings, ...(traceToken === undefined ? {} : { traceToken }) };
}

/** Who makes a call, as the trace names them: an answer as a person is the person's, not the agent's whose token it shows. */
function writerOf({ caller }: SessionParts, { state, agent }: OpenSession, kind: CallKind): string {
  if (kind !== 'answer' || caller.mayRespond !== true || hasDriven(state, caller.credential)) return agent.id;
  return `human:${caller.person ?? caller.principal}`;
}

/** A write with an old token is a write that is answered again; there is nothing to warn of. */
function warningsOf({ stale, drift }: OpenSession, kind: CallKind): readonly string[] {
  return [
    ...(stale === undefined || writes.has(kind) ? [] : [stale]),
    ...(drift === undefined || !tellsDrift.has(kind) ? [] : [drift]),
  ];
}
