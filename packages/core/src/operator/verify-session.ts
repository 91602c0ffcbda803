import { canonicalJson, WorkflowError, defined } from '@workflowlookup/schema';
import type { JsonObject, Workflow } from '@workflowlookup/schema';
import type { CheckedTrace } from '@workflowlookup/storage/journal';
import type {
  ImportMark,
  Inspected,
  InspectedSession,
  JournalEvent,
  SealMark,
  SessionRow,
  SessionStore,
} from '@workflowlookup/storage';
import {
  auditSession,
  checkedTrace,
  emptyJournal,
  inTurns,
  isVouchedDefinition,
  verifyChain,
} from '@workflowlookup/storage/journal';
import { isDefinitionOf, runnableOf, eventOf } from '../session-engine/open-session.ts';
import { isSessionEvent } from '../session/session-event.ts';
import { begin, evolve } from '../session/evolve.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import type { SessionState } from '../session/session-state.ts';
import { statusWord } from '../session/session-state.ts';
import type { Anchors } from './seal-session.ts';
import { loadSession } from './load-session.ts';
import { answersMoved } from './session-history.ts';
import { sealProblems, sealedParts, sessionProblems } from '../messages/operator.ts';

/** Kinds of problems that verification finds. */
export type ProblemCode =
  /** Its row, an event or a related record was not written by a server with these keys. */
  | 'FORGED'
  /** It was sealed with a key that is not in the ring. */
  | 'UNKNOWN_KEY'
  /** It has no seal: an older version or another program wrote it. */
  | 'UNSEALED'
  /** The hash of an event does not match its content, or the event does not follow the one before. */
  | 'BROKEN_CHAIN'
  /** An event does not have the fields of its type, or can't be replayed. */
  | 'MALFORMED'
  /** What its row says does not follow from its events. */
  | 'ROW_DIFFERS'
  /** The state that was kept does not follow from the events. */
  | 'STATE_DIFFERS'
  /** The definition it was started on is missing or was replaced. */
  | 'DEFINITION'
  /** The recorded decision does not belong to the question that was asked. */
  | 'ANSWER'
  /** An output is missing or was replaced. */
  | 'OUTPUT'
  /** Calls are missing from the trace, are in it twice, or are in another order. */
  | 'TRACE_GAP'
  /** The recorded result of a write is missing or was replaced. */
  | 'COMMAND'
  /** An agent is missing. */
  | 'AGENT'
  /** It can't be read at all. */
  | 'UNREADABLE'
  /** It is no longer stored here, although an anchor or other rows name it. */
  | 'DELETED'
  /** An anchor names a later event, another one, or two for one revision: an older copy was put back. */
  | 'ROLLED_BACK'
  /** A line of the anchor was not written by a server with these keys. */
  | 'ANCHOR'
  /** The database has something that can hide rows or change what is written, and that no server made. */
  | 'SCHEMA';

/** Something that is wrong with a session. */
export interface SessionProblem {
  readonly code: ProblemCode;
  readonly sid: string;
  /** The revision of the event, if the problem is about one. */
  readonly revision?: number;
  readonly message: string;
}

/** The result of verifying a session. */
export interface Verification {
  readonly sid: string;
  /** Events that were read. */
  readonly events: number;
  /**
   * Whether the seals were checked with the keys of the servers. Without keys only accidental damage is found, not
   * tampering.
   */
  readonly isAuthenticated: boolean;
  /** Present if it was imported, or sealed by a person after it was written. */
  readonly imported?: ImportMark;
  readonly sealed?: SealMark;
  /** The agents and calls that were checked, so that `export` seals no others. Absent if the session is unreadable. */
  readonly trace?: CheckedTrace;
  readonly problems: readonly SessionProblem[];
}

type Note = (code: ProblemCode, message: string, revision?: number) => void;

/**
 * Verifies everything stored for a session: seals, the chain of events and, by replaying them, the state, the row, the
 * definition, outputs, recorded commands, the trace and agents. Problems are returned, never thrown.
 *
 * @param anchors without them, a journal whose end was cut off is not detected
 * @throws WorkflowError NOT_FOUND if there is no such session; STORE_UNAVAILABLE if the database fails
 */
export async function verifySession(
  store: SessionStore,
  sid: string,
  anchors?: Anchors,
): Promise<Verification> {
  const problems: SessionProblem[] = [];
  const note: Note = (code, message, revision) =>
    void problems.push({ code, sid, ...defined({ revision }), message });
  let found: InspectedSession | undefined;
  try {
    found = await store.inspect?.(sid);
  } catch (error) {
    if (!(error instanceof WorkflowError) || error.data['reason'] !== 'corrupt') throw error;
    note('UNREADABLE', error.message);
    return { sid, events: 0, isAuthenticated: false, problems };
  }
  const isAuthenticated = store.seals?.hasKeys() === true;
  if (found?.session === undefined) {
    const isAnchored = anchors?.heads.has(sid) === true;
    if (found === undefined && !isAnchored) return verifyPlainly(store, sid, note, problems);
    note('DELETED', isAnchored ? sessionProblems.deleted() : sessionProblems.rowDeleted());
    return { sid, events: isAnchored ? 0 : (found?.events.length ?? 0), isAuthenticated, problems };
  }
  const { value: session, verdict } = found.session;
  noteVerdict(note, found.session, sealedParts.row());
  // For a session without seals, one problem is enough.
  if (verdict !== 'absent') checkSeals(found, note);
  const events = found.events.map(({ value }) => value);
  const sound = await inTurns(checkChain(session, events, note));
  if (anchors !== undefined) problems.push(...anchorProblems(session, sound, anchors));
  const states = await inTurns(replayed(sid, sound, note));
  checkRow(session, sound, states.at(-1), note);
  checkState(found, states, note);
  await checkDefinition(found, sound, note);
  await checkOutputs(store, found, note);
  checkTrace(found, note);
  checkCommands(found, note);
  checkAgents(found, note);
  const { imported, sealed } = session;
  return {
    sid,
    events: found.events.length,
    isAuthenticated,
    ...defined({ imported, sealed }),
    trace: await checkedTrace(
      found.agents.map(({ value }) => value.agent),
      found.calls.flatMap(({ value }) => (value === undefined ? [] : [value.call])),
    ),
    problems,
  };
}

/** Verifies what is possible in a store that can't show its raw rows. */
async function verifyPlainly(
  store: SessionStore,
  sid: string,
  note: Note,
  problems: readonly SessionProblem[],
): Promise<Verification> {
  const { session } = await loadSession(store, sid);
  const { events, verdict } = await auditSession(store, session);
  if (!verdict.ok) note('BROKEN_CHAIN', sessionProblems.changed(verdict.brokenAt), verdict.brokenAt);
  const states = await inTurns(replayed(sid, events, note));
  if (verdict.ok) checkRow(session, events, states.at(-1), note);
  return { sid, events: events.length, isAuthenticated: false, problems };
}

type Sealed = Pick<Inspected<unknown>, 'seal' | 'verdict'>;

function noteVerdict(note: Note, { verdict, seal }: Sealed, part: string, revision?: number): void {
  if (verdict === 'wrong') note('FORGED', sealProblems.forged(part), revision);
  if (verdict === 'unknown-key') {
    const key = /^([\w-]{1,64}):/.exec(seal ?? '')?.[1];
    note('UNKNOWN_KEY', sealProblems.unknownKey(part, key), revision);
  }
  if (verdict === 'absent') note('UNSEALED', sealProblems.noSeal(part), revision);
}

/** If the row has a seal, everything else must have one. */
function checkSeals(found: InspectedSession, note: Note): void {
  const check = (sealed: Sealed, part: string, revision?: number): void => {
    if (sealed.verdict === 'absent') note('FORGED', sealProblems.noSeal(part), revision);
    else noteVerdict(note, sealed, part, revision);
  };
  for (const [index, event] of found.events.entries()) {
    const revision = event.value?.revision ?? index + 1;
    check(event, sealedParts.event(revision), revision);
  }
  if (found.snapshot !== undefined) check(found.snapshot, sealedParts.savedState());
  for (const [index, call] of found.calls.entries()) check(call, sealedParts.call(index + 1));
  for (const command of found.commands) check(command, sealedParts.write(), revisionOf(command));
  for (const agent of found.agents) check(agent, sealedParts.agent(agent.value.number));
  for (const delivery of found.deliveries) check(delivery, sealedParts.bundle(delivery.value.agent));
  const { definition, session } = found;
  // The definition that came with an import has no seal unless somebody here vouches for it.
  const isBare = definition?.verdict === 'absent' && session?.value.imported?.isAuthentic === false;
  const isVouched =
    definition?.value !== undefined &&
    ['absent', 'unknown-key'].includes(definition.verdict) &&
    isVouchedDefinition(session?.value.sealed, definition.value);
  if (definition !== undefined && !isBare && !isVouched) check(definition, sealedParts.definition());
}

/** The events before the first broken link. */
function* checkChain(
  session: SessionRow,
  events: readonly (JournalEvent | undefined)[],
  note: Note,
): Generator<void, readonly JournalEvent[]> {
  const sound: JournalEvent[] = [];
  let head = emptyJournal;
  for (const event of events) {
    if (event === undefined) break;
    const verdict = verifyChain(session.sid, [event], head);
    if (!verdict.ok) break;
    ({ head } = verdict);
    sound.push(event);
    yield;
  }
  if (sound.length < events.length)
    note('BROKEN_CHAIN', sessionProblems.changed(sound.length + 1), sound.length + 1);
  else if (session.revision !== sound.length || session.hash !== (sound.at(-1)?.hash ?? ''))
    note('BROKEN_CHAIN', sessionProblems.wrongEnd(), session.revision);
  return sound;
}

/** The state after each event, up to the first one that can't be replayed. */
function* replayed(
  sid: string,
  events: readonly JournalEvent[],
  note: Note,
): Generator<void, readonly SessionState[]> {
  const states: SessionState[] = [];
  for (const kept of events) {
    const { at, revision } = kept;
    const before = states.at(-1);
    const isFirst = kept.type === 'session-started';
    if (!isSessionEvent(kept.type, kept.data) || isFirst !== (before === undefined)) {
      note('MALFORMED', sessionProblems.wrongFields(revision, kept.type), revision);
      return states;
    }
    const earlier = events[revision - 2];
    if (earlier !== undefined && earlier.at > at)
      note('MALFORMED', sessionProblems.tooEarly(revision), revision);
    try {
      states.push(
        before === undefined
          ? begin(sid, { at, event: eventOf(kept) as SessionEventOf<'session-started'> })
          : evolve(before, { at, event: eventOf(kept) }),
      );
    } catch {
      // Whatever it threw, the event can't be replayed.
      note('MALFORMED', sessionProblems.notReplayable(revision), revision);
      return states;
    }
    yield;
  }
  return states;
}

/** Returns why a session is not the one that an anchor names: every event in the anchor must still exist unchanged. */
export function anchorProblems(
  { sid, imported }: Pick<SessionRow, 'imported' | 'sid'>,
  sound: readonly JournalEvent[],
  anchors: Anchors,
): readonly SessionProblem[] {
  const problem = (message: string, revision?: number): SessionProblem => ({
    code: 'ROLLED_BACK',
    sid,
    ...defined({ revision }),
    message,
  });
  // Only an import may bring back a dropped session. An older copy may have been continued, so it can have heads too.
  const isBack = anchors.pruned.has(sid) && (imported === undefined || !anchors.heads.has(sid));
  const back = isBack ? [problem(sessionProblems.pruned())] : [];
  for (const [revision, hashes] of anchors.heads.get(sid) ?? []) {
    const event = sound[revision - 1];
    if (event !== undefined && hashes.size === 1 && hashes.has(event.hash)) continue;
    const message =
      event === undefined
        ? sessionProblems.anchoredMissing(revision)
        : hashes.size > 1
          ? sessionProblems.anchoredTwice(revision)
          : sessionProblems.anchoredOther(revision);
    return [...back, problem(message, revision)];
  }
  return back;
}

function checkRow(
  session: SessionRow,
  sound: readonly JournalEvent[],
  last: SessionState | undefined,
  note: Note,
): void {
  if (last === undefined || last.revision !== session.revision) return;
  for (const [field, kept, expected] of rowDifferences(session, sound, last))
    note('ROW_DIFFERS', sessionProblems.wrongField(field, String(kept), String(expected)));
}

/** Returns the fields of a row that don't follow from its events, each with its value and the expected one. */
export function rowDifferences(
  session: SessionRow,
  events: readonly JournalEvent[],
  last: SessionState,
): readonly (readonly [field: string, kept: unknown, expected: unknown])[] {
  const expected = {
    status: statusWord(last),
    workflowId: last.workflowId,
    version: last.version,
    digest: last.digest,
    // Only the journal of an import shows which session is its parent.
    parentSid: session.imported === undefined ? last.parent?.sid : session.parentSid,
    createdAt: events[0]?.at,
    updatedAt: events.at(-1)?.at,
  };
  return Object.entries(expected)
    .map(([field, value]) => [field, session[field as keyof typeof expected], value] as const)
    .filter(([, kept, value]) => kept !== value);
}

function checkState({ snapshot }: InspectedSession, states: readonly SessionState[], note: Note): void {
  const kept = snapshot?.value;
  const expected = kept && states[kept.revision - 1];
  if (snapshot?.verdict !== 'genuine' || kept === undefined || expected === undefined) return;
  if (canonicalJson(kept.state) !== canonicalJson(expected))
    note('STATE_DIFFERS', sessionProblems.wrongState(), kept.revision);
}

/** Checks that the definition is the pinned one, and that no answer was moved to another question. */
async function checkDefinition(
  { sid, session, definition }: InspectedSession,
  sound: readonly JournalEvent[],
  note: Note,
): Promise<void> {
  const digest = session?.value.digest ?? '';
  if (definition?.value === undefined) note('DEFINITION', sessionProblems.noDefinition(digest));
  else if (!isDefinitionOf(digest, definition.value) || definition.value['id'] !== session?.value.workflowId)
    note('DEFINITION', sessionProblems.otherDefinition(digest, session?.value.workflowId ?? ''));
  else
    for (const revision of await movedAnswers(sid, sound, definition.value))
      note('ANSWER', sessionProblems.movedAnswer(revision), revision);
}

async function movedAnswers(
  sid: string,
  sound: readonly JournalEvent[],
  body: JsonObject,
): Promise<Iterable<number>> {
  try {
    return await inTurns(answersMoved(sound, sid, runnableOf(body as unknown as Workflow).navigator));
  } catch {
    // Events that can't be replayed were reported already.
    return [];
  }
}

async function checkOutputs(store: SessionStore, found: InspectedSession, note: Note): Promise<void> {
  const named = new Set<string>();
  for (const { value } of found.events) {
    for (const digest of value === undefined ? [] : blobsIn(value.data)) {
      named.add(digest);
      const output = await store.getBlob(digest).catch(() => undefined);
      if (output === undefined) note('OUTPUT', sessionProblems.noOutput(digest), value?.revision);
    }
  }
  const isSame = found.blobs.length === named.size && found.blobs.every((digest) => named.has(digest));
  if (!isSame) note('OUTPUT', sessionProblems.otherOutputs());
}

/** The digests by which an event names long outputs. */
export function blobsIn({ manifest }: JsonObject): readonly string[] {
  if (!Array.isArray(manifest)) return [];
  return manifest.flatMap((entry) => {
    const blob = (entry as { output?: { blob?: unknown } } | null)?.output?.blob;
    return typeof blob === 'string' ? [blob] : [];
  });
}

/**
 * The calls of each writer are numbered without a gap, up to the number that the events name, because a call is stored
 * no later than the event after it. Calls after the last event of a writer may be lost in a crash.
 */
function checkTrace({ calls, events }: InspectedSession, note: Note): void {
  const numbers = new Map<string, { readonly known: Set<number>; last: number }>();
  for (const { value } of calls) {
    if (value?.writer === undefined || value.writer === null) continue;
    const { writer } = value;
    const seq = value.seq ?? 0;
    const of = numbers.get(writer) ?? { known: new Set<number>(), last: 0 };
    if (of.last > seq) note('TRACE_GAP', sessionProblems.callsReordered(writer));
    if (of.known.has(seq)) note('TRACE_GAP', sessionProblems.callTwice(seq, writer));
    of.known.add(seq);
    of.last = Math.max(of.last, seq);
    numbers.set(writer, of);
  }
  const named = new Map([...numbers].map(([writer, { last }]) => [writer, last]));
  for (const { follows } of events) {
    const [writer = '', number = ''] = (follows ?? '').split(':');
    if (writer !== '') named.set(writer, Math.max(named.get(writer) ?? 0, Number(number)));
  }
  for (const [writer, last] of named) {
    const missing = last - (numbers.get(writer)?.known.size ?? 0);
    if (missing !== 0) note('TRACE_GAP', sessionProblems.callsMissing(missing, last, writer));
  }
}

function revisionOf({ value }: InspectedSession['commands'][number]): number | undefined {
  const revision = value?.result['revision'];
  return typeof revision === 'number' ? revision : undefined;
}

/**
 * Each write except the first has a record of the command that made it. The first write may also enter an activity, and
 * this second event looks like one of a later write, so its record is not required.
 */
function checkCommands({ session, commands, events }: InspectedSession, note: Note): void {
  const recorded = new Set(commands.map(revisionOf));
  const imported = session?.value.imported?.revision ?? 1;
  const [first, second] = events.map(({ value }) => value);
  const mayBeFirst =
    second?.type === 'activity-entered' && second.at === first?.at && !('from' in second.data);
  for (let revision = Math.max(imported, mayBeFirst ? 2 : 1) + 1; revision <= events.length; revision += 1)
    if (!recorded.has(revision)) note('COMMAND', sessionProblems.noCommand(revision), revision);
  for (const revision of recorded)
    if (revision === undefined || revision <= imported || revision > events.length)
      note('COMMAND', sessionProblems.otherCommand(revision), revision);
}

/** Agents that started or resumed the session are in its trace and are numbered without a gap. */
function checkAgents({ agents, calls }: InspectedSession, note: Note): void {
  if (agents.some(({ value }, index) => value.number !== index + 1))
    note('AGENT', sessionProblems.agentsReordered());
  const names = agents.map(({ value }) => value.agent);
  const missing = missingAgents(
    names,
    calls.flatMap(({ value }) => (value === undefined ? [] : [value.call])),
  );
  for (const agent of missing) note('AGENT', sessionProblems.noAgent(agent));
}

/** Agents that started or resumed a session by its trace, and are not in the list of those that joined. */
export function missingAgents(agents: readonly string[], calls: readonly JsonObject[]): readonly string[] {
  const started = calls.flatMap(({ name, aid }) =>
    name === 'start' && typeof aid === 'string' ? [aid] : [],
  );
  return [...new Set(started)].filter((agent) => !agents.includes(agent));
}
