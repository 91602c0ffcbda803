import type { Json, JsonObject } from '@workflowlookup/schema';
import {
  WorkflowError,
  canonicalJson,
  defined,
  digestOf,
  isJsonObject,
  parseJson,
} from '@workflowlookup/schema';
import { exportMessages } from '../messages.ts';
import { each, inTurns } from '../pauses.ts';
import { noSession } from '../errors.ts';
import { sessionDefinition, emptyJournal, verifyChain, isVouchedDefinition } from './hash-chain.ts';
import type {
  JournalEvent,
  Range,
  Reading,
  SessionRow,
  SessionStore,
  ImportMark,
  NewSession,
  SealVerdict,
  Seals,
} from './session-store.ts';
import { sessionStatuses } from './session-store.ts';

/** The version of the export format. A reader refuses any other version. */
const exportFormat = 1;

/** The first line of an export. */
interface HeaderLine {
  readonly kind: 'session';
  readonly format: typeof exportFormat;
  readonly session: SessionRow;
  readonly definition: JsonObject;
  /** In the order in which they joined. */
  readonly agents: readonly string[];
  readonly exported?: ExportMark;
}

/** When and by whom a session was exported. */
export interface ExportMark {
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
}

/** The last line of an export. Without it, the export is incomplete. */
interface EndLine {
  readonly kind: 'end';
  readonly events: number;
  readonly calls: number;
  readonly blobs: number;
  /**
   * The seal of the exporting server over all lines before. Absent if the session is not authentic or something else is
   * wrong with it.
   */
  readonly seal?: string;
}

/** A line of an export. The order is: header, events, calls, blobs, end. */
type ExportLine =
  | HeaderLine
  | { readonly kind: 'event'; readonly event: JournalEvent }
  | { readonly kind: 'call'; readonly call: JsonObject }
  | { readonly kind: 'blob'; readonly digest: string; readonly value: Json }
  | EndLine;

/** Which agents and calls of a session were checked: the number of each, counted from the first, and their digest. */
export interface CheckedTrace {
  readonly agents: number;
  readonly calls: number;
  readonly digest: string;
}

/**
 * Returns a summary of the agents and calls that were checked, so that they can be recognized when they are read again.
 */
export async function checkedTrace(
  agents: readonly string[],
  calls: readonly JsonObject[],
): Promise<CheckedTrace> {
  let digest = digestOf(agents);
  await inTurns(each(calls, (call) => (digest = digestWithCall(digest, call))));
  return { agents: agents.length, calls: calls.length, digest };
}

/** Returns the digest of a trace after one more call. */
function digestWithCall(digest: string, call: JsonObject): string {
  return digestOf([digest, call]);
}

const pageSize = 500;

/** Options of an export. */
export interface ExportOptions {
  /** When and by whom it is exported. */
  readonly exported?: ExportMark;
  /** Whether to seal an authentic session in the last line. Default: true. */
  readonly isSealed?: boolean;
  /**
   * The agents and calls that were checked. If the export does not start with them, it gets no seal. More may have been
   * added since.
   */
  readonly trace?: CheckedTrace;
}

/**
 * Exports a session as lines of canonical JSON without line ends, in the form that {@link importSession} reads. It
 * exports the session as it is when the first line is requested. The state is not included, because it follows from the
 * events. The last line seals all lines before if the session is authentic and its trace is the one that was checked.
 * Throws `NOT_FOUND` if there is no such session, and `STORE_DAMAGED` at the first event that was changed.
 */
export async function* exportSession(
  store: SessionStore,
  sid: string,
  { exported, isSealed = true, trace }: ExportOptions = {},
): AsyncGenerator<string, void> {
  const header = { ...(await readHeader(store, sid)), ...(exported !== undefined && { exported }) };
  const end = { kind: 'end', events: header.session.revision, calls: 0, blobs: 0 } satisfies EndLine;
  let digest = '';
  let written = digestOf(header.agents.slice(0, trace?.agents));
  for await (const line of linesBeforeEnd(store, header)) {
    if (line.kind === 'call') {
      if (trace !== undefined && end.calls < trace.calls) written = digestWithCall(written, line.call);
      end.calls += 1;
    }
    if (line.kind === 'blob') end.blobs += 1;
    const text = canonicalJson(line);
    digest = digestOfLines(digest, text);
    yield text;
  }
  const { seals } = store;
  const isAsChecked = trace === undefined || written === trace.digest;
  const canSeal = isAsChecked && seals?.hasKeys() === true && header.session.unauthentic === undefined;
  yield canonicalJson({ ...end, ...(isSealed && canSeal && { seal: seals.make('export', [digest]) }) });
}

/** Returns the digest of lines from the digest of the lines before and one more line. */
function digestOfLines(before: string, line: string): string {
  return digestOf([before, line]);
}

async function* linesBeforeEnd(
  store: SessionStore,
  header: HeaderLine,
): AsyncGenerator<Exclude<ExportLine, EndLine>> {
  const { sid } = header.session;
  yield header;
  yield* eventLines(store, header.session);
  const reading = readingOf(header.session);
  for await (const { call } of pages((range) => store.calls(sid, { ...range, ...reading })))
    yield { kind: 'call', call };
  for (const digest of await store.blobs(sid)) {
    const value = await store.getBlob(digest);
    if (value === undefined) throw damaged(sid, exportMessages.missingValue(digest));
    yield { kind: 'blob', digest, value };
  }
}

async function readHeader(store: SessionStore, sid: string): Promise<HeaderLine> {
  const session = (await store.load(sid))?.session;
  if (session === undefined) throw noSession(sid);
  const definition = (await sessionDefinition(store, session))?.body;
  if (definition === undefined) throw damaged(sid, exportMessages.missingDefinition(session.digest));
  const agents = await store.agents(sid, readingOf(session));
  return { kind: 'session', format: exportFormat, session, definition, agents };
}

/** An export of a session that does not authenticate gets no seal. */
function readingOf({ unauthentic }: SessionRow): Reading {
  return { isUnverifiedToo: unauthentic !== undefined };
}

async function* eventLines(
  store: SessionStore,
  session: SessionRow,
): AsyncGenerator<Extract<ExportLine, { kind: 'event' }>> {
  const { sid, revision, hash } = session;
  let head = emptyJournal;
  while (head.revision < revision) {
    const limit = Math.min(pageSize, revision - head.revision);
    const events = await store.events(sid, { after: head.revision, limit, ...readingOf(session) });
    const verdict = verifyChain(sid, events, head);
    if (!verdict.ok) throw damaged(sid, exportMessages.changedFrom(verdict.brokenAt));
    if (events.length < limit) throw damaged(sid, exportMessages.endsEarly(verdict.head.revision, revision));
    ({ head } = verdict);
    for (const event of events) yield { kind: 'event', event };
  }
  if (head.hash !== hash) throw damaged(sid, exportMessages.wrongEnd());
}

async function* pages<T>(read: (range: Range) => Promise<readonly T[]>): AsyncGenerator<T> {
  for (let after = 0; ; after += pageSize) {
    const page = await read({ after, limit: pageSize });
    yield* page;
    if (page.length < pageSize) return;
  }
}

function damaged(sid: string, problem: string): WorkflowError {
  return new WorkflowError('STORE_DAMAGED', exportMessages.damaged(sid, problem), {
    data: { sid, reason: 'broken-chain' },
  });
}

/**
 * Imports a session from the lines of an export, after all of them were verified ({@link readExport}). The verification
 * detects accidental changes only: anyone who can write an export can also compute its hashes.
 */
export async function importSession(
  store: SessionStore,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<SessionRow> {
  return keepExported(store, await readExport(lines));
}

/** The owner of an imported session, and the record of its import. */
export interface KeptAs {
  /** Default: the principal in the export. */
  readonly principal?: string;
  readonly imported?: ImportMark;
}

/**
 * Stores a session that was read from an export. Its events and final state are stored together or not at all; the
 * calls follow. Throws `CONFLICT` if the session is already in the store. A digest does not cover every field of a
 * definition, so a definition is stored without a seal if it can't be verified or if a person vouched for it with this
 * session only. No other session ever uses such a definition.
 */
export async function keepExported(
  store: SessionStore,
  { session, definition, agents, events, calls, blobs }: ExportedSession,
  { principal = session.principal, imported }: KeptAs = {},
): Promise<SessionRow> {
  const { sid, workflowId, version, digest, parentSid, agent, project, status } = session;
  const taken = new WorkflowError('CONFLICT', exportMessages.alreadyThere(sid), { data: { sid } });
  if ((await store.load(sid)) !== undefined) throw taken;
  const isTrusted = imported?.isAuthentic !== false;
  const sealed = isTrusted ? session.sealed : undefined;
  await store.putDefinition(digest, definition, {
    isUnsealed: !isTrusted || isVouchedDefinition(sealed, definition),
  });
  const digests: string[] = [];
  for (const value of blobs) digests.push(await store.putBlob(value));
  // The parent and the project of a session that is not authentic are not verified.
  const identity: NewSession = {
    sid,
    workflowId,
    version,
    digest,
    principal,
    agent,
    ...(isTrusted && defined({ parentSid, project })),
    ...defined({ imported, sealed }),
  };
  if (!(await store.create(identity, { events, status, blobs: digests }))) throw taken;
  for (const joined of agents) await store.joinAgent(session.sid, joined);
  for (const call of calls) await store.recordCall(session.sid, call);
  const kept = await store.load(session.sid);
  if (kept === undefined) throw noSession(session.sid);
  return kept.session;
}

/** A complete export. */
export interface ExportedSession {
  readonly session: SessionRow;
  readonly definition: JsonObject;
  /** In the order in which they joined. */
  readonly agents: readonly string[];
  readonly events: readonly JournalEvent[];
  readonly calls: readonly JsonObject[];
  readonly blobs: readonly Json[];
  /** When and by whom it was exported, according to the export. */
  readonly exported?: ExportMark;
  /** The digest of all lines before the last, and the seal over it. */
  readonly digest: string;
  readonly seal?: string;
}

/** Returns the verdict on the seal of an export. A store without keys can't check it. */
export function judgeExport(
  seals: Seals | undefined,
  { digest, seal }: Pick<ExportedSession, 'digest' | 'seal'>,
): SealVerdict {
  if (seals?.hasKeys() !== true) return 'unchecked';
  return seals.judge('export', [digest], seal ?? null);
}

interface Draft {
  readonly events: JournalEvent[];
  readonly calls: JsonObject[];
  readonly blobs: Json[];
  digest: string;
  header?: HeaderLine;
  end?: EndLine;
}

/**
 * Reads the lines of an export and verifies them: the hash of every event, the digest of every value, and that nothing
 * is missing. Throws `INVALID_FILE` with the line or revision in its data. Empty lines are ignored.
 */
export async function readExport(lines: AsyncIterable<string> | Iterable<string>): Promise<ExportedSession> {
  const draft: Draft = { events: [], calls: [], blobs: [], digest: '' };
  let number = 0;
  for await (const text of lines) {
    number += 1;
    const line = text.trim();
    if (line === '') continue;
    take(draft, parse(line, number), number);
    if (draft.end === undefined) draft.digest = digestOfLines(draft.digest, line);
  }
  const { header, events, calls, blobs, end } = draft;
  if (header === undefined) throw refusal(exportMessages.noHeader());
  if (end?.events !== events.length || end.calls !== calls.length || end.blobs !== blobs.length)
    throw refusal(exportMessages.incomplete());
  verify(header.session, events);
  // Only these fields, because anyone can add others to the header.
  const { session, definition, agents, exported } = header;
  const read = { session, definition, agents, events, calls, blobs, digest: draft.digest };
  return { ...read, ...defined({ exported, seal: end.seal }) };
}

function parse(text: string, line: number): ExportLine {
  const value = parseJson(text);
  if (!isJsonObject(value)) throw refusal(exportMessages.notAnObject(), { line });
  return value as unknown as ExportLine;
}

function take(draft: Draft, entry: ExportLine, line: number): void {
  const isFirst = draft.header === undefined;
  if (isFirst !== (entry.kind === 'session') || draft.end !== undefined)
    throw refusal(exportMessages.misplacedLine(), { line });
  if (!hasShape(entry)) throw refusal(exportMessages.unknownLine(), { line });
  if (entry.kind === 'blob' && digestOf(entry.value) !== entry.digest)
    throw refusal(exportMessages.wrongValue(), { line });
  if (entry.kind === 'session') draft.header = entry;
  else if (entry.kind === 'event') draft.events.push(entry.event);
  else if (entry.kind === 'call') draft.calls.push(entry.call);
  else if (entry.kind === 'blob') draft.blobs.push(entry.value);
  else draft.end = entry;
}

/**
 * Whether a line has the fields of its kind. The hash chain covers the contents of events, and the store checks the
 * rest.
 */
function hasShape(entry: ExportLine): boolean {
  switch (entry.kind) {
    case 'session':
      return entry.format === exportFormat && isHeader(entry);
    case 'event':
      return isJsonObject(entry.event) && isJsonObject(entry.event.data);
    case 'call':
      return isJsonObject(entry.call);
    case 'blob':
      return entry.value !== undefined && typeof entry.digest === 'string';
    case 'end':
      return entry.seal === undefined || typeof entry.seal === 'string';
    default:
      return false;
  }
}

const sessionTexts = ['sid', 'workflowId', 'version', 'digest', 'principal', 'agent', 'hash'] as const;

function isHeader({ session, definition, agents, exported }: HeaderLine): boolean {
  return (
    isJsonObject(session) &&
    isJsonObject(definition) &&
    Array.isArray(agents) &&
    agents.every((agent) => typeof agent === 'string') &&
    sessionTexts.every((field) => typeof session[field] === 'string') &&
    [session.parentSid, session.project].every((text) => text === undefined || typeof text === 'string') &&
    (exported === undefined ||
      (isJsonObject(exported) && [exported.at, exported.by].every((text) => typeof text === 'string'))) &&
    sessionStatuses.includes(session.status)
  );
}

function verify({ sid, revision, hash }: SessionRow, events: readonly JournalEvent[]): void {
  const verdict = verifyChain(sid, events);
  if (!verdict.ok)
    throw refusal(exportMessages.changedSince(verdict.brokenAt), {
      revision: verdict.brokenAt,
    });
  if (verdict.head.revision !== revision || verdict.head.hash !== hash)
    throw refusal(exportMessages.otherEnd(), { revision });
}

function refusal(
  problem: string,
  data: { readonly line?: number; readonly revision?: number } = {},
): WorkflowError {
  return new WorkflowError('INVALID_FILE', exportMessages.unusable(problem, data.line), { data });
}
