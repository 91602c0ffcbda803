import type { JsonObject } from '@workflowlookup/schema';
import { digestOf, WorkflowError } from '@workflowlookup/schema';
import { assertWritable, sealEvents } from '@workflowlookup/storage/journal';
import type { AnchoredHead } from '../operator/anchors.ts';
import type { SessionCommand } from '../session/command.ts';
import { evolve } from '../session/evolve.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import { statusWord } from '../session/status.ts';
import type { TraceSegment } from '../tokens/trace-token.ts';
import { nowOf } from './clock.ts';
import type { JudgeParts } from './judge-outputs.ts';
import { decideJudged } from './judge-outputs.ts';
import { keepOutputs } from './keep-outputs.ts';
import { eventOf, reload, stateAt } from './load-state.ts';
import type { LoadedRun } from './open-session.ts';
import type { SessionParts, WrittenEvent } from './parts.ts';
import { refusalError } from './refusals.ts';

/** What a write came to, now or when it was made first. */
export interface Carried {
  /** After the write. */
  readonly state: SessionState;
  readonly event: SessionEvent;
  readonly warnings: readonly string[];
  /** When it was made, in milliseconds since the epoch. */
  readonly atMs: number;
  /** What the session went through since it entered the activity it was at. */
  readonly segment: TraceSegment;
}

/** Another write came first, and nothing was changed. */
export interface Overtaken {
  /** Where the session stands now. */
  readonly overtaken: SessionState;
  readonly atMs: number;
}

/** What is recorded of a write, to answer it again; everything else is in the journal. */
interface Recorded extends JsonObject {
  readonly revision: number;
  readonly since: number;
}

/**
 * Carries out a command: decides, seals, and appends if nobody was faster. The same command again, by the same agent
 * that saw the same revision, is answered from what was recorded, and moves nothing. Who saw another revision, or lost a
 * race, is overtaken.
 *
 * @throws WorkflowError as `decide` refuses
 */
export async function carryOut(
  parts: Pick<SessionParts, 'policy' | 'now' | 'onWrite' | 'onHead'> & JudgeParts,
  session: LoadedRun,
  command: SessionCommand,
): Promise<Carried | Overtaken> {
  const { state, seen, agent, runnable } = session;
  assertWritable(session.session);
  const nowMs = nowOf(parts);
  const key = digestOf({
    revision: seen.revision,
    agent: agent.number,
    command: asked(command),
  });
  const isStale = seen.revision !== state.revision;
  const before = isStale ? await replayed(session, key) : undefined;
  if (before !== undefined) return before;
  if (isStale && isFree(state, command)) return { overtaken: state, atMs: nowMs };
  const { policy } = parts;
  const at = {
    navigator: runnable.navigator,
    nowMs,
    minResponseMs: policy.minResponseMs,
    gates: policy.gates,
    enforcement: policy.enforcement,
  };
  const decision = await decideJudged(state, command, at, parts);
  if (!decision.ok) throw refusalError(decision.refusal, state, policy);
  const { event, warnings } = decision;
  const after = evolve(state, { at: new Date(nowMs).toISOString(), event });
  const head = await append(session, { event, after, key, nowMs });
  if (head !== undefined) {
    parts.onHead?.(head);
    parts.onWrite?.(writtenEvent(event, state, nowMs));
    return { state: after, event, warnings, atMs: nowMs, segment: segmentOf(state, after.revision) };
  }
  const same = await replayed(session, key);
  if (same !== undefined) return same;
  return { overtaken: await reload(session.vault.store, state), atMs: nowMs };
}

/** What a command asks for: the same again is the same, whichever credential it comes by. */
function asked({ ...command }: SessionCommand): JsonObject {
  if ('credential' in command) delete command.credential;
  if ('origin' in command) delete command.origin;
  return command as unknown as JsonObject;
}

function writtenEvent({ type }: SessionEvent, { sid, gate }: SessionState, nowMs: number): WrittenEvent {
  if (type !== 'checkpoint-answered' || gate === undefined) return { sid, type };
  return { sid, type, waitedMs: nowMs - Date.parse(gate.yieldedAt) };
}

/** Whether nothing but its age stands against a command; else it is told what does. */
function isFree({ status, gate }: SessionState, { kind }: SessionCommand): boolean {
  return status === 'active' && (gate === undefined || kind === 'answer');
}

function segmentOf({ sid, since }: SessionState, revision: number): TraceSegment {
  return { sid, from: since, to: revision - 1 };
}

/** A decision that is to become part of the journal. */
interface Addition {
  readonly event: SessionEvent;
  readonly after: SessionState;
  readonly key: string;
  readonly nowMs: number;
}

async function append(
  { vault: { store }, state, session }: LoadedRun,
  { event, after, key, nowMs }: Addition,
): Promise<AnchoredHead | undefined> {
  const { data, blobs } = await keepOutputs(store, event);
  const at = new Date(nowMs).toISOString();
  const result: Recorded = { revision: after.revision, since: state.since };
  const events = sealEvents(state.sid, session, [{ at, type: event.type, data }]);
  const status = statusWord(after);
  const isKept = await store.append(state.sid, state.revision, {
    events,
    status,
    snapshot: { revision: after.revision, state: after as unknown as JsonObject },
    command: { key, result },
    session,
    ...(blobs.length === 0 ? {} : { blobs }),
  });
  const { revision } = after;
  return isKept ? { sid: state.sid, revision, hash: events[0]?.hash ?? '', at, status } : undefined;
}

/** What a command came to when it was carried out before. */
async function replayed({ vault: { store }, state }: LoadedRun, key: string): Promise<Carried | undefined> {
  const result = (await store.recorded(state.sid, key)) as Recorded | undefined;
  if (result === undefined) return undefined;
  const { revision, since } = result;
  const [kept] = await store.events(state.sid, { after: revision - 1, limit: 1 });
  if (kept === undefined) {
    throw new WorkflowError('STORAGE', `The journal of session '${state.sid}' lacks revision ${revision}.`);
  }
  const event = eventOf(kept);
  return {
    state: revision === state.revision ? state : await stateAt(store, state.sid, revision),
    event,
    warnings: 'warnings' in event ? event.warnings : [],
    atMs: Date.parse(kept.at),
    segment: { sid: state.sid, from: since, to: revision - 1 },
  };
}
