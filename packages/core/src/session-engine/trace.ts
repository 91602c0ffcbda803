import { bytesToHex } from '@noble/hashes/utils.js';
import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError, defined, unlessEmpty } from '@workflowlookup/schema';
import type { Reading, SessionQuery, SessionRow, SessionStore } from '@workflowlookup/storage';
import { createPauses } from '@workflowlookup/storage/journal';
import { webCrypto, openTraceToken } from './session-tokens.ts';
import type { AnsweredCheckpoint, GivenAnswer, SessionState } from '../session/session-state.ts';
import type { ChildLink, SessionStatus } from '../session/status.ts';
import type { OpenSession, RunnableSession } from './open-session.ts';
import { eventOf } from './open-session.ts';
import type { CallKind, SessionParts, SessionStorage } from './sessions.ts';

/** The calls that a trace records: calls of agents, and the actions that a person takes without a token. */
export type TracedKind = CallKind | 'abandon' | 'unpark';

/** An output that the criteria of its step refused. */
export interface RejectedOutput {
  readonly step: string;
  /** What it missed, in the words of the criteria. */
  readonly issues: readonly string[];
  /** The output itself, at most 1,000 characters. Absent in traces of older versions. */
  readonly output?: string;
}

/** A call as the trace keeps it. */
export interface TraceEvent {
  /** The session. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly name: TracedKind;
  /** When it began; ISO 8601. */
  readonly ts: string;
  /** How long it took. */
  readonly ms: number;
  readonly s: 'ok' | 'error';
  readonly wf: string;
  /** The activity before the call; `''` before the first. */
  readonly act: string;
  /** The agent; `human:` and a name for a person. */
  readonly aid: string;
  /** The error: its code and message, at most 1,000 characters. */
  readonly err?: string;
  /** Validation warnings, the first 20. */
  readonly vw?: readonly string[];
  /** What the person wrote with the answer, at most 1,000 characters. */
  readonly note?: string;
  /** The outputs that were refused, the first 20, and what each one missed. */
  readonly rj?: readonly RejectedOutput[];
  /**
   * Characters of the replies that the agent got in this session since its previous call in the trace. Absent if there
   * were none, and in traces of older versions.
   */
  readonly read?: number;
  /** Session of the parent. */
  readonly psid?: string;
  /** Revision of the session before the call. */
  readonly rev: number;
}

/** The content of a trace. */
export interface TraceReading {
  readonly source: 'store' | 'tokens';
  /** How many there are; of more than 1,000 the newest are shown. */
  readonly eventCount: number;
  /** Oldest first. */
  readonly events: readonly TraceEvent[];
  /** Tokens that name no segment of this session. */
  readonly tokenErrors?: readonly string[];
  /** Present if the session was imported or does not authenticate. */
  readonly marks?: Pick<SessionStatus, 'imported' | 'unauthentic'>;
}

interface TracedCall {
  readonly kind: TracedKind;
  readonly vault: Pick<SessionStorage, 'store'>;
  /** Before the call; of a start, after it. */
  readonly state: SessionState;
  /** The row of the session. Absent for a new one. */
  readonly session?: Pick<SessionRow, 'unauthentic'> | undefined;
  readonly agentId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly warnings?: readonly string[];
  readonly note?: string;
  readonly error?: unknown;
}

const maxShown = 1000;
/** Maximum length of a text in a trace. Longer texts are cut. */
const maxChars = 1000;
const maxWarnings = 20;
const maxIssueChars = 200;

/**
 * Records a call. If that fails, the reply is unaffected, and the health of the store reports it. A session that does not
 * authenticate gets no record, because the record would put a genuine seal on what somebody wrote into its rows.
 */
export async function recordCall(
  { random = webCrypto }: Pick<SessionParts, 'random'>,
  call: TracedCall,
): Promise<void> {
  const { vault, state, session, error, note, warnings = [] } = call;
  if (session?.unauthentic !== undefined) return;
  const { sid, workflowId, parent, current = '', revision } = state;
  const read = takeReadText(vault.store, sid, call.agentId);
  const event: TraceEvent = {
    traceId: sid,
    spanId: bytesToHex(random(8)),
    name: call.kind,
    ts: new Date(call.startMs).toISOString(),
    ms: Math.max(0, call.endMs - call.startMs),
    s: error === undefined ? 'ok' : 'error',
    wf: workflowId,
    act: current,
    aid: call.agentId,
    ...(error !== undefined && { err: describeError(error), ...rejectedIn(error) }),
    ...(warnings.length > 0 && { vw: warnings.slice(0, maxWarnings).map(cut) }),
    ...defined({ note: note && cut(note), read: read > 0 ? read : undefined, psid: parent?.sid }),
    rev: revision,
  };
  await vault.store.recordCall(sid, event as unknown as JsonObject).catch(() => undefined);
}

/** Milliseconds since the epoch. */
export function nowOf({ now = () => new Date() }: Pick<SessionParts, 'now'>): number {
  return now().getTime();
}

/** Milliseconds of a monotonic clock, to measure how long something takes. */
export function steadyMs({ now }: Pick<SessionParts, 'now'>): number {
  return now === undefined ? performance.now() : now().getTime();
}

/** Does the work of a call and keeps it in the trace, however it ends. */
export async function traced<Result extends Pick<TracedCall, 'warnings' | 'note'>>(
  parts: Pick<SessionParts, 'random' | 'now'>,
  call: Omit<TracedCall, 'endMs' | 'warnings' | 'note' | 'error'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    const { warnings, note } = result;
    await recordCall(parts, { ...call, endMs: nowOf(parts), ...defined({ warnings, note }) });
    return result;
  } catch (error) {
    await recordCall(parts, { ...call, endMs: nowOf(parts), error });
    keepReadText(error, readTextOf(call.vault.store, call.state.sid, call.agentId));
    throw error;
  }
}

const rejectedBy = new WeakMap<object, readonly RejectedOutput[]>();

/** Keeps the refused outputs for the trace, beside the error that tells the agent about them. */
export function withRejected<E extends Error>(error: E, outputs: readonly RejectedOutput[]): E {
  if (outputs.length > 0) rejectedBy.set(error, outputs);
  return error;
}

function rejectedIn(error: unknown): Pick<TraceEvent, 'rj'> {
  const outputs = error instanceof Error ? rejectedBy.get(error) : undefined;
  if (outputs === undefined) return {};
  return {
    rj: outputs.slice(0, maxWarnings).map(({ step, issues, output }) => ({
      step,
      issues: issues.slice(0, maxWarnings).map((issue) => cut(issue).slice(0, maxIssueChars)),
      ...(output !== undefined && { output: cut(output) }),
    })),
  };
}

function describeError(error: unknown): string {
  return error instanceof WorkflowError ? cut(`${error.code}: ${error.message}`) : 'INTERNAL';
}

function cut(text: string): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}

const callsAtOnce = 500;

/** All calls of a session. They are read in parts, because an agent decides how many there are. */
export async function recordedCalls(
  store: Pick<SessionStore, 'calls'>,
  sid: string,
  reading: Reading = {},
): Promise<readonly TraceEvent[]> {
  const calls: TraceEvent[] = [];
  const pause = createPauses();
  for (;;) {
    await pause();
    const page = await store.calls(sid, { after: calls.length, limit: callsAtOnce, ...reading });
    for (const { call } of page) calls.push(call as unknown as TraceEvent);
    if (page.length < callsAtOnce) return calls;
  }
}

/** The calls of a session, or those of the segments that trace tokens name. */
export async function readTrace(
  { vault, state: { sid }, session }: OpenSession,
  traceTokens: readonly string[] = [],
): Promise<TraceReading> {
  const all = await recordedCalls(vault.store, sid);
  const found = marksOf(session);
  const marks = Object.keys(found).length > 0 && { marks: found };
  if (traceTokens.length === 0)
    return { source: 'store', eventCount: all.length, events: all.slice(-maxShown), ...marks };
  const opened = traceTokens.map((token) => ({ token, segment: openTraceToken(vault.keys, token, sid) }));
  const segments = opened.flatMap(({ segment }) => segment ?? []);
  const tokenErrors = opened.flatMap(({ token, segment }) =>
    segment === undefined ? [token.slice(0, 64)] : [],
  );
  const events = all.filter(({ rev }) => segments.some(({ from, to }) => rev >= from && rev <= to));
  return {
    source: 'tokens',
    eventCount: events.length,
    events: events.slice(-maxShown),
    ...defined({ tokenErrors: unlessEmpty(tokenErrors) }),
    ...marks,
  };
}

/** Returns whether a session has one agent, no parent and no children. A caller that knows the children saves a query. */
export async function isAlone(
  {
    vault: { store },
    state: { sid, parent },
    agent,
  }: Pick<RunnableSession, 'vault' | 'agent'> & { readonly state: Pick<SessionState, 'sid' | 'parent'> },
  children?: readonly ChildLink[],
): Promise<boolean> {
  // Agents are numbered in the order in which they join.
  if (parent !== undefined || agent.number > 1) return false;
  const known = children ?? (await store.find({ parentSid: sid }, { limit: 1 })).sessions;
  return known.length === 0 && (await store.agents(sid)).length <= 1;
}

export function marksOf({
  imported,
  unauthentic,
}: Pick<SessionRow, 'imported' | 'unauthentic'>): Pick<SessionStatus, 'imported' | 'unauthentic'> {
  return {
    ...(imported && {
      imported: { at: imported.at, by: imported.by, isAuthentic: imported.isAuthentic },
    }),
    ...(unauthentic !== 'forged' && defined({ unauthentic })),
  };
}

/** All sessions that a query finds, the one last written to first. */
export async function* everySession(
  store: Pick<SessionStore, 'find'>,
  query: SessionQuery,
  limit = 1000,
): AsyncGenerator<SessionRow> {
  let cursor: string | undefined;
  do {
    const page = await store.find(query, { limit, ...defined({ cursor }) });
    yield* page.sessions;
    cursor = page.next;
  } while (cursor !== undefined);
}

/** Maximum number of children that a status reads. It shows fewer if it would grow too long. */
const maxChildren = 100;

/** The newest children of a session, the one that was written to last at the end. */
export async function childrenOf(store: SessionStore, parentSid: string): Promise<readonly ChildLink[]> {
  const children: ChildLink[] = [];
  // Each kind has its own limit, because somebody without the keys can plant any number of children that don't authenticate.
  const left = { authentic: maxChildren, doubtful: maxChildren };
  for await (const { sid, workflowId, status, unauthentic } of everySession(
    store,
    { parentSid },
    maxChildren,
  )) {
    if (unauthentic === 'forged') continue;
    const kind = unauthentic === undefined ? 'authentic' : 'doubtful';
    if ((left[kind] -= 1) >= 0) children.push(defined({ sid, workflowId, status, unauthentic }));
    if (left.authentic <= 0) break;
  }
  return children.toReversed();
}

/** An answer is found by its place in the journal, because a session may ask the same checkpoint many times. */
type AnswerKey = Pick<AnsweredCheckpoint, 'checkpoint' | 'activity' | 'at'>;

/** Events that are read at a time. The answer that is looked for is nearly always among the latest. */
const pageSize = 100;

/** Returns what the journal has of answers of a session. An answer that is not found is left out. */
export async function givenAnswers(
  store: SessionStore,
  { sid, revision }: Pick<SessionState, 'sid' | 'revision'>,
  answers: readonly AnswerKey[],
): Promise<ReadonlyMap<AnswerKey, GivenAnswer>> {
  const found = new Map<AnswerKey, GivenAnswer>();
  for (let end = revision; end > 0 && found.size < answers.length; end -= pageSize) {
    const after = Math.max(0, end - pageSize);
    const events = await store.events(sid, { after, limit: end - after });
    for (const kept of events) {
      const event = eventOf(kept);
      if (event.type !== 'checkpoint-answered') continue;
      const key = answers.find(
        ({ checkpoint, activity, at }) =>
          checkpoint === event.checkpoint && activity === event.activity && at === kept.at,
      );
      if (key === undefined) continue;
      const { by, person, note, effect, origin } = event;
      const byPerson = by === 'human' ? 'person' : 'user';
      const answeredBy = origin?.channel === 'autonomy' ? 'server' : byPerson;
      const noted = by === 'human' ? { note } : { relayedNote: note };
      found.set(key, defined({ answeredBy, person, ...noted, effect }));
    }
  }
  return found;
}

/**
 * Counts the characters of replies that an agent read in a session. They are recorded with its next call, because the
 * length of a reply is known only after its own call is recorded.
 */
export interface ReadText {
  /** Characters that are not recorded with a call yet. A server adds the length of each reply that it sends. */
  chars: number;
}

/** How many agents in sessions of a store are counted. */
const maxCounted = 20_000;

const counted = new WeakMap<object, Map<string, ReadText>>();

/** Returns the counter of an agent in a session. */
export function readTextOf(store: Pick<SessionStore, 'calls'>, sid: string, agentId: string): ReadText {
  const counters = counted.get(store) ?? new Map<string, ReadText>();
  counted.set(store, counters);
  const key = `${sid} ${agentId}`;
  const known = counters.get(key);
  if (known !== undefined) return known;
  const [oldest] = counters.keys();
  if (counters.size >= maxCounted && oldest !== undefined) counters.delete(oldest);
  const fresh = { chars: 0 };
  counters.set(key, fresh);
  return fresh;
}

/** Returns what an agent read in a session since its last recorded call, and counts from zero again. */
function takeReadText(store: Pick<SessionStore, 'calls'>, sid: string, agentId: string): number {
  const counter = counted.get(store)?.get(`${sid} ${agentId}`);
  if (counter === undefined) return 0;
  const { chars } = counter;
  counter.chars = 0;
  return chars;
}

const countersOf = new WeakMap<object, ReadText>();

/** Keeps the counter for an answer that is no reply: an error, or operations. */
export function keepReadText(answer: unknown, counter: ReadText): void {
  if (typeof answer === 'object' && answer !== null) countersOf.set(answer, counter);
}

/** Returns the counter that was kept for an answer or, if it is an error, for one that caused it. */
export function keptReadText(answer: unknown): ReadText | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  return countersOf.get(answer) ?? (answer instanceof Error ? keptReadText(answer.cause) : undefined);
}

/** A usual estimate for English text and code. The tokens of a model are not known here. */
const charsPerToken = 4;

/** Returns about how many tokens a text has. */
export function tokensIn(chars: number): number {
  return Math.round(chars / charsPerToken);
}
