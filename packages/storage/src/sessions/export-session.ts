import type { Json, JsonObject } from '@workflowlookup/schema';
import { WorkflowError, canonicalJson, digestOf } from '@workflowlookup/schema';
import { sessionDefinition, emptyJournal, verifyChain } from './hash-chain.ts';
import { noSession } from './errors.ts';
import type { JournalEvent, Range, Reading, SessionRow, SessionStore } from './session-store.ts';
import { exportMessages } from '../messages.ts';
import { each, inTurns } from '../utilities.ts';

/** The version of the export format. A reader refuses any other version. */
export const exportFormat = 1;

/** The first line of an export. */
export interface HeaderLine {
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
export interface EndLine {
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
export type ExportLine =
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
export function digestOfLines(before: string, line: string): string {
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
