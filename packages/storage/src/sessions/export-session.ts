import { canonicalJson, digestOf, WorkflowError } from '@workflowlookup/schema';
import type { Range, SessionRow, SessionStore } from '../session-store.ts';
import type { CheckedTrace } from './checked-trace.ts';
import { digestWithCall } from './checked-trace.ts';
import type { EndLine, ExportLine, ExportMark, HeaderLine } from './export-lines.ts';
import { exportFormat } from './export-lines.ts';
import { noSession } from './no-session.ts';
import { emptyJournal } from './seal-events.ts';
import { sessionDefinition } from './session-definition.ts';
import { verifyChain } from './verify-chain.ts';

const pageSize = 500;

/** How a session is exported. */
export interface ExportOptions {
  /** When and by whom. */
  readonly exported?: ExportMark;
  /** Whether the last line seals the others if the session authenticates; default true. */
  readonly isSealed?: boolean;
  /** What was checked of its trace: without it in the export there is no seal. Agents and calls may have been added since. */
  readonly trace?: CheckedTrace;
}

/**
 * Writes a session as lines of canonical JSON, without line ends, that {@link importSession} takes: the session as it
 * is when the first line is asked for. The state is left out, for it follows from the events. The last line seals all
 * lines before, where the session authenticates and its trace is the one that was checked. Throws `STATE` where there is no such session, and `STORAGE` at the first
 * event that is not what was sealed.
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

/** The digest of lines, from that of those before. */
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
  for await (const { call } of pages((range) => store.calls(sid, range))) yield { kind: 'call', call };
  for (const digest of await store.blobs(sid)) {
    const value = await store.getBlob(digest);
    if (value === undefined) throw damaged(sid, `lacks the value ${digest}`);
    yield { kind: 'blob', digest, value };
  }
}

async function readHeader(store: SessionStore, sid: string): Promise<HeaderLine> {
  const session = (await store.load(sid))?.session;
  if (session === undefined) throw noSession(sid);
  const definition = (await sessionDefinition(store, session))?.body;
  if (definition === undefined) throw damaged(sid, `lacks its definition ${session.digest}`);
  return { kind: 'session', format: exportFormat, session, definition, agents: await store.agents(sid) };
}

async function* eventLines(
  store: SessionStore,
  { sid, revision, hash }: SessionRow,
): AsyncGenerator<Extract<ExportLine, { kind: 'event' }>> {
  let head = emptyJournal;
  while (head.revision < revision) {
    const limit = Math.min(pageSize, revision - head.revision);
    const events = await store.events(sid, { after: head.revision, limit });
    const verdict = verifyChain(sid, events, head);
    if (!verdict.ok) throw damaged(sid, `is not what was sealed from revision ${verdict.brokenAt} on`);
    if (events.length < limit) throw damaged(sid, `ends at revision ${verdict.head.revision} of ${revision}`);
    ({ head } = verdict);
    for (const event of events) yield { kind: 'event', event };
  }
  if (head.hash !== hash) throw damaged(sid, 'does not end as its session says');
}

/** Everything a store gives by range. */
async function* pages<T>(read: (range: Range) => Promise<readonly T[]>): AsyncGenerator<T> {
  for (let after = 0; ; after += pageSize) {
    const page = await read({ after, limit: pageSize });
    yield* page;
    if (page.length < pageSize) return;
  }
}

function damaged(sid: string, what: string): WorkflowError {
  return new WorkflowError('STORAGE', `Session '${sid}' can't be exported: its journal ${what}.`, {
    data: { sid, reason: 'broken-chain' },
  });
}
