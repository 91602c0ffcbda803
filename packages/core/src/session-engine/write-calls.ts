import type { Context } from '@workflowlookup/conditions';
import type { ErrorCode, Json, JsonObject } from '@workflowlookup/schema';
import { WorkflowError, defined, digestOf, unlessEmpty } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { assertWritable, sealEvents } from '@workflowlookup/storage/journal';
import type { Verdict } from '@workflowlookup/validation';
import { sightFor } from '../evidence/outside-evidence.ts';
import type { Jobs } from '../jobs.ts';
import { inlineJobs } from '../jobs.ts';
import { messages } from '../messages/sessions.ts';
import type { PlannedStep } from '../navigation/navigator.ts';
import type { AnchoredHead } from '../operator/seal-session.ts';
import { defaultTaken } from '../session/answer-checkpoint.ts';
import type { DecisionInputs, Decision, ParkRequest, SessionCommand } from '../session/command.ts';
import { decide, policyFor } from '../session/decide.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import { evolve } from '../session/evolve.ts';
import type { Judge } from '../session/outputs/manifest.ts';
import { allSteps } from '../session/outputs/step-account.ts';
import { askedHere, isAsked } from '../session/open-checkpoints.ts';
import type { AnswerOrigin, ManifestEntry, SessionEvent } from '../session/session-event.ts';
import type { SessionState, Values } from '../session/session-state.ts';
import { statusWord } from '../session/session-state.ts';
import type { OpenSession, RunnableSession } from './open-session.ts';
import { eventOf, reopen, revisit } from './open-session.ts';
import { conflict, refusalError } from './refusals.ts';
import type { TraceSegment } from './session-tokens.ts';
import { sealTraceToken } from './session-tokens.ts';
import type {
  AnswerRequest,
  Answered,
  MoveRequest,
  Moved,
  Outcome,
  Parked,
  ReportedStep,
  SessionParts,
  WrittenEvent,
  Yielded,
} from './sessions.ts';
import type { RejectedOutput } from './trace.ts';
import { isAlone, nowOf, withRejected } from './trace.ts';

/** Carries out an agent's command. @throws WorkflowError SESSION_CONFLICT if another write came first */
async function write(
  parts: SessionParts,
  session: OpenSession,
  command: SessionCommand,
): Promise<ExecutedCommand> {
  const carried = await executeCommand({ ...parts, principal: parts.caller.principal }, session, command);
  if ('overtaken' in carried) throw conflict(session, carried.overtaken, carried.atMs);
  return carried;
}

export async function move(
  parts: SessionParts,
  session: OpenSession,
  { manifest, ...request }: MoveRequest,
): Promise<Outcome<Moved>> {
  const carried = await write(parts, session, {
    kind: 'move',
    ...request,
    ...defined({ manifest: manifest?.map(entryOf) }),
    ...credentialOf(parts),
  });
  const traceToken = sealTraceToken(session.vault.keys, carried.segment);
  return { ...outcomeOf(carried, movedTo(session, carried)), traceToken };
}

/** Returns an entry as the journal keeps it: an object as JSON. */
function entryOf({ output, ...entry }: ReportedStep): ManifestEntry {
  return { ...entry, output: typeof output === 'string' ? output : JSON.stringify(output) };
}

function movedTo({ runnable }: OpenSession, { event, state }: ExecutedCommand): Moved {
  if (event.type !== 'activity-entered') {
    return defined({
      status: 'completed',
      completed: state.completed,
      notDone: unlessEmpty(state.notDone),
    });
  }
  const { activity } = event;
  return { status: 'active', activity, name: runnable.navigator.place(activity, state).name };
}

export async function yieldAt(
  parts: SessionParts,
  session: OpenSession,
  { checkpointId, variables }: { readonly checkpointId: string; readonly variables: Values },
): Promise<Outcome<Yielded>> {
  const carried = await write(parts, session, {
    kind: 'yield',
    checkpointId,
    ...(Object.keys(variables).length > 0 && { variables }),
    ...credentialOf(parts),
  });
  const taken = await takeDefault(parts, session, carried.state);
  if (taken === undefined)
    return outcomeOf(carried, { checkpoint: checkpointId, isAlone: await isAlone(session) });
  const { value, ...rest } = taken;
  return { ...rest, value: { checkpoint: checkpointId, isAlone: false, taken: value } };
}

/**
 * Answers the open checkpoint with its default option if the policy of the session allows that. The answer is checked
 * like any other. Returns `undefined` if somebody has to answer, also because a check refused the default.
 */
async function takeDefault(
  parts: SessionParts,
  session: OpenSession,
  state: SessionState,
): Promise<Outcome<Answered> | undefined> {
  const found = askedHere(session.runnable.navigator, state);
  if (found === undefined) return undefined;
  const { open, checkpoint, place } = found;
  const option = defaultTaken(checkpoint, policyFor(state, parts.policy), open);
  if (option === undefined || !isAsked(state, place, checkpoint)) return undefined;
  const origin: AnswerOrigin = {
    channel: 'autonomy',
    principal: parts.caller.principal,
    ...credentialOf(parts),
    assurance: 'agent',
  };
  const asked = await reopen(session);
  try {
    const command = { kind: 'answer', mode: { kind: 'by-policy' }, by: 'agent', origin } as const;
    const seen = { ...session.seen, revision: state.revision };
    return answeredOutcome(await write(parts, { ...asked, seen }, command));
  } catch (error) {
    if (error instanceof WorkflowError && undecided.has(error.code)) return undefined;
    throw error;
  }
}

/** Refusals of a default option after which somebody has to decide. */
const undecided: ReadonlySet<ErrorCode> = new Set([
  'HUMAN_REQUIRED',
  'INVALID_STATE',
  'NOTE_REQUIRED',
  'VARIABLE_PROTECTED',
]);

function answeredOutcome(carried: ExecutedCommand): Outcome<Answered> {
  const event = carried.event as SessionEventOf<'checkpoint-answered'>;
  const { checkpoint, answer: given, effect } = event;
  return outcomeOf(carried, defined({ checkpoint, answer: given, effect }));
}

export async function park(
  parts: SessionParts,
  session: OpenSession,
  request: ParkRequest,
): Promise<Outcome<Parked>> {
  const carried = await write(parts, session, {
    kind: 'park',
    ...request,
    by: 'agent',
    ...credentialOf(parts),
  });
  const { reason, until } = carried.event as SessionEventOf<'session-parked'>;
  return outcomeOf(carried, defined({ reason, until }));
}

/** Resumes a parked session for an agent that starts to work on it. Returns the state after that. */
export async function resumeParked(parts: SessionParts, session: RunnableSession): Promise<SessionState> {
  let { state } = session;
  // Another call may park the session again in between, but not in each of several attempts.
  for (let attempt = 0; attempt < 3 && state.parked !== undefined; attempt += 1) {
    const command = { kind: 'unpark', by: 'agent', ...credentialOf(parts) } as const;
    const carried = await executeCommand(parts, { ...session, state, seen: state }, command);
    state = 'overtaken' in carried ? carried.overtaken : carried.state;
  }
  return state;
}

export async function answer(
  parts: SessionParts,
  session: OpenSession,
  { mode, note, through = 'call' }: AnswerRequest,
): Promise<Outcome<Answered>> {
  const origin = originOf(parts, session, through);
  const by = origin.assurance === 'agent' ? 'agent' : 'human';
  const person = by === 'human' ? parts.caller.person : undefined;
  const carried = await write(parts, session, {
    kind: 'answer',
    mode,
    by,
    origin,
    ...defined({ person, note }),
  });
  return answeredOutcome(carried);
}

/**
 * Returns the origin of an answer: a trusted client, a credential that answers as a person, or an agent that passed it
 * on. An agent may itself be the client, so an answer through an untrusted client counts as a call with its credential.
 */
function originOf(
  parts: SessionParts,
  { state }: OpenSession,
  through: NonNullable<AnswerRequest['through']>,
): AnswerOrigin {
  const { principal, mayRespond } = parts.caller;
  const isTrusted = through === 'elicitation' && policyFor(state, parts.policy).trustElicitation;
  const ofCredential = mayRespond === true ? 'account' : 'agent';
  return {
    channel: through === 'call' ? 'tool' : 'elicitation',
    principal,
    ...credentialOf(parts),
    assurance: isTrusted ? 'client' : ofCredential,
  };
}

export function credentialOf({ caller: { credential } }: SessionParts): { readonly credential?: string } {
  return defined({ credential });
}

function outcomeOf<Value>(
  { state, warnings, atMs, isRepeated }: ExecutedCommand,
  value: Value,
): Outcome<Value> {
  return { value, state, warnings, atMs, ...defined({ isRepeated }) };
}

/** The result of a write, of this call or of the first one. */
export interface ExecutedCommand {
  /** After the write. */
  readonly state: SessionState;
  readonly event: SessionEvent;
  readonly warnings: readonly string[];
  /** When it was made, in milliseconds since the epoch. */
  readonly atMs: number;
  /** The events since the session entered its previous activity. */
  readonly segment: TraceSegment;
  /** The command was carried out before, and this is its result from then. */
  readonly isRepeated?: true;
}

/** Another write came first, and nothing was changed. */
interface Overtaken {
  readonly overtaken: SessionState;
  readonly atMs: number;
}

/** The recorded result of a write, used to answer a repeated call. Everything else is in the journal. */
interface Recorded extends JsonObject {
  readonly revision: number;
  readonly since: number;
  /** The hash of its event. Absent in records of older versions. */
  readonly hash?: string;
}

/**
 * Carries out a command: decides, seals the event and appends it if no other write came first. The same command by the
 * same agent for the same revision is answered from the record and changes nothing. A caller that saw another revision,
 * or lost a race, is overtaken.
 *
 * @throws WorkflowError as `decide` refuses
 */
export async function executeCommand(
  parts: Pick<SessionParts, 'policy' | 'now' | 'onWrite' | 'onHead' | 'evidence'> &
    Partial<Pick<SessionParts, 'caller'>> &
    JudgeParts,
  session: RunnableSession,
  command: SessionCommand,
): Promise<ExecutedCommand | Overtaken> {
  const { state, seen, agent, runnable } = session;
  assertWritable(session.session);
  const nowMs = nowOf(parts);
  // A large command takes long to digest, so one that is refused is not digested.
  const keyOf = (): string =>
    digestOf({ revision: seen.revision, agent: agent.number, command: requestOf(command) });
  const isStale = seen.revision !== state.revision;
  const before = isStale ? await replayed(session, keyOf()) : undefined;
  if (before !== undefined) return before;
  if (isStale && isFree(state, command)) return { overtaken: state, atMs: nowMs };
  const at = {
    ...parts.policy,
    navigator: runnable.navigator,
    nowMs,
    ...(await evidenceSight(parts, session, command)),
  };
  const rejected: RejectedOutput[] = [];
  const decision = await decideJudged(state, command, at, { ...parts, rejected });
  if (!decision.ok) {
    const isPersons = command.kind === 'answer' && command.by === 'human';
    const error = await refusalError(parts, session, decision, command.kind, isPersons);
    throw withRejected(error, rejected);
  }
  const { event, warnings } = decision;
  // Another server may have written the last event, and its clock may be ahead.
  const atMs = Math.max(nowMs, Date.parse(session.session.updatedAt));
  const after = evolve(state, { at: new Date(atMs).toISOString(), event });
  const key = keyOf();
  const head = await append(session, { event, after, key, atMs });
  if (head !== undefined) {
    parts.onHead?.(head);
    parts.onWrite?.(writtenEvent(event, state, atMs));
    const { sid, since, revision } = state;
    return { state: after, event, warnings, atMs, segment: { sid, from: since, to: revision } };
  }
  const same = await replayed(session, key);
  if (same !== undefined) return same;
  return { overtaken: (await reopen(session)).state, atMs: nowMs };
}

/** Returns what the server sees of the files, for a move out of an activity that asks for evidence. */
async function evidenceSight(
  parts: Pick<SessionParts, 'evidence'>,
  session: RunnableSession,
  { kind }: SessionCommand,
): Promise<Pick<DecisionInputs, 'evidence'>> {
  const { state, runnable } = session;
  if (kind !== 'move' || state.current === undefined) return {};
  const asks = allSteps(runnable.navigator.place(state.current, state)).some(
    ({ evidence }) => evidence !== undefined,
  );
  return asks ? { evidence: await sightFor(parts, session) } : {};
}

/** Returns the content of a command without its credential, to recognize a repeated command. */
function requestOf({ ...command }: SessionCommand): JsonObject {
  if ('credential' in command) delete command.credential;
  if ('origin' in command) delete command.origin;
  return command as unknown as JsonObject;
}

function writtenEvent(
  { type }: SessionEvent,
  { sid, gate: openCheckpoint }: SessionState,
  atMs: number,
): WrittenEvent {
  if (type !== 'checkpoint-answered' || openCheckpoint === undefined) return { sid, type };
  return { sid, type, waitedMs: atMs - Date.parse(openCheckpoint.yieldedAt) };
}

/**
 * Returns whether being outdated is the only reason to refuse a command. If there is another reason, the caller gets
 * that one.
 */
function isFree({ status, gate: openCheckpoint }: SessionState, { kind }: SessionCommand): boolean {
  return status === 'active' && (openCheckpoint === undefined || kind === 'answer');
}

/** A decision that is about to be appended to the journal. */
interface Addition {
  readonly event: SessionEvent;
  readonly after: SessionState;
  readonly key: string;
  readonly atMs: number;
}

async function append(
  { vault: { store }, state, session }: RunnableSession,
  { event, after, key, atMs }: Addition,
): Promise<AnchoredHead | undefined> {
  const { data, blobs } = await keepOutputs(store, event);
  const at = new Date(atMs).toISOString();
  const events = sealEvents(state.sid, session, [{ at, type: event.type, data }]);
  const hash = events[0]?.hash ?? '';
  const result: Recorded = { revision: after.revision, since: state.since, hash };
  const status = statusWord(after);
  const isKept = await store.append(state.sid, state.revision, {
    events,
    status,
    snapshot: { revision: after.revision, state: after as unknown as JsonObject },
    command: { key, result },
    session,
    ...defined({ blobs: unlessEmpty(blobs) }),
  });
  const { revision } = after;
  return isKept ? { sid: state.sid, revision, hash, at, status } : undefined;
}

/** Returns the recorded result of a command that was carried out before. */
async function replayed(
  { vault: { store }, state }: RunnableSession,
  key: string,
): Promise<ExecutedCommand | undefined> {
  const result = (await store.recorded(state.sid, key)) as Recorded | undefined;
  if (result === undefined) return undefined;
  const { revision, since, hash } = result;
  const { state: after, kept } = await revisit(store, state.sid, revision);
  // Otherwise, the event was lost with an older copy of the database, and another one took its place.
  if (hash !== undefined && kept.hash !== hash) return undefined;
  const event = eventOf(kept);
  return {
    state: after,
    event,
    warnings: 'warnings' in event ? event.warnings : [],
    atMs: Date.parse(kept.at),
    segment: { sid: state.sid, from: since, to: revision - 1 },
    isRepeated: true,
  };
}

/** An output with more bytes than this is kept once, by its digest. */
const maxInlineBytes = 8192;

/** An event as the journal stores it, with the digests of the content it refers to. */
interface KeptEvent {
  readonly data: JsonObject;
  readonly blobs: readonly string[];
}

/** Puts the long outputs of a manifest into the store: the event keeps `{blob: digest}` in their place. */
async function keepOutputs(store: SessionStore, event: SessionEvent): Promise<KeptEvent> {
  const data = event as unknown as JsonObject;
  if (!('manifest' in event)) return { data, blobs: [] };
  const blobs: string[] = [];
  const manifest: Json[] = [];
  for (const entry of event.manifest) {
    const blob = isLong(entry.output) ? await store.putBlob(entry.output) : undefined;
    if (blob !== undefined) blobs.push(blob);
    manifest.push({ ...entry, ...(blob !== undefined && { output: { blob } }) });
  }
  return { data: { ...data, manifest }, blobs: [...new Set(blobs)] };
}

function isLong(output: string): boolean {
  // No character has more than three bytes for each of its code units.
  if (output.length * 3 <= maxInlineBytes) return false;
  return output.length > maxInlineBytes || new TextEncoder().encode(output).length > maxInlineBytes;
}

/** The runner of judging jobs, and the principal they count against. */
export interface JudgeParts {
  /** By default the thread that asks. */
  readonly jobs?: Jobs | undefined;
  readonly principal?: string | undefined;
}

/**
 * Judges an output by the criteria of a step. Returns `undefined` if the step has none. Unusable criteria refuse every
 * output, so that a broken definition lets nothing pass.
 *
 * @throws WorkflowError INVALID_INPUT, TOO_COSTLY, BUSY
 */
export async function judgeStep(
  { criteria, fields }: PlannedStep,
  output: string,
  { context, jobs = inlineJobs, principal = 'local' }: JudgeParts & { readonly context: Context },
): Promise<Verdict | undefined> {
  if (criteria === undefined && fields === undefined) return undefined;
  try {
    return await jobs.run('judge', { criteria, fields, output, context }, { principal });
  } catch (error) {
    const isUnusable =
      error instanceof WorkflowError && ['INVALID_CRITERIA', 'INVALID_WORKFLOW'].includes(error.code);
    if (!isUnusable) throw error;
    return { valid: false, issues: [messages.criteriaUnusable(error.message)], suggestions: [] };
  }
}

/** An output that a decision has to know the verdict on. */
interface Asked {
  readonly step: PlannedStep;
  readonly output: string;
  readonly context: Context;
}

const accepted: Verdict = { valid: true, issues: [], suggestions: [] };

/**
 * Decides on a command whose outputs are judged in a worker. Deciding is synchronous, so it first runs with every
 * output accepted, which shows the outputs to judge. If all of them are accepted, that decision counts; otherwise it
 * runs again with the verdicts. The refused outputs are added to `by.rejected`.
 */
export async function decideJudged(
  state: SessionState,
  command: SessionCommand,
  at: Omit<DecisionInputs, 'judge'>,
  by: JudgeParts & { readonly rejected: RejectedOutput[] },
): Promise<Decision<SessionEvent>> {
  const known: (Asked & { readonly verdict: Verdict | undefined })[] = [];
  for (;;) {
    const asked: Asked[] = [];
    let count = 0;
    const judge: Judge = (step, output, context) => {
      const one = known[count];
      count += 1;
      if (one !== undefined && isSameQuestion(one, { step, output })) return one.verdict;
      asked.push({ step, output, context });
      return accepted;
    };
    const decision = decide(state, command, { ...at, judge });
    if (asked.length === 0) return decision;
    known.length = count - asked.length;
    for (const one of asked) {
      const { step, output, context } = one;
      const verdict = await judgeStep(step, output, { ...by, context });
      known.push({ ...one, verdict });
      if (verdict?.valid === false) by.rejected.push({ step: step.id, issues: verdict.issues, output });
    }
    if (known.every(({ verdict }) => verdict?.valid !== false)) return decision;
  }
}

/** A navigator may plan a step anew on every call, so steps are compared by their content. */
function isSameQuestion(one: Pick<Asked, 'step' | 'output'>, other: Pick<Asked, 'step' | 'output'>): boolean {
  return (
    one.step.id === other.step.id && one.step.criteria === other.step.criteria && one.output === other.output
  );
}
