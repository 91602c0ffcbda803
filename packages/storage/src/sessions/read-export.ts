import type { Json, JsonObject } from '@workflowlookup/schema';
import { digestOf, isJsonObject, WorkflowError } from '@workflowlookup/schema';
import type { JournalEvent, Seals, SealVerdict, SessionRow } from '../session-store.ts';
import { digestOfLines } from './export-session.ts';
import type { EndLine, ExportLine, ExportMark, HeaderLine } from './export-lines.ts';
import { exportFormat } from './export-lines.ts';
import { verifyChain } from './verify-chain.ts';

/** An export that was read and found whole. */
export interface ExportedSession {
  readonly session: SessionRow;
  readonly definition: JsonObject;
  /** In the order they joined. */
  readonly agents: readonly string[];
  readonly events: readonly JournalEvent[];
  readonly calls: readonly JsonObject[];
  readonly blobs: readonly Json[];
  /** When and by whom it was exported, as it says. */
  readonly exported?: ExportMark;
  /** Of all lines before the last, and the seal over it. */
  readonly digest: string;
  readonly seal?: string;
}

/** Whether a server with one of these keys exported it. */
export function isGenuineExport(
  seals: Seals | undefined,
  exported: Pick<ExportedSession, 'digest' | 'seal'>,
): boolean {
  return judgeExport(seals, exported) === 'genuine';
}

/** What the keys say of the seal of an export; a store without keys can't check it. */
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
 * Reads the lines of an export and verifies them: every event is what was sealed, every value has its digest, and
 * nothing is missing. Throws `VALIDATION`, with the line or revision in its data. Empty lines are passed over.
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
  if (header === undefined) throw refusal('has no header line');
  if (end?.events !== events.length || end.calls !== calls.length || end.blobs !== blobs.length)
    throw refusal('is cut off: lines are missing');
  verify(header.session, events);
  const { session, definition, agents, exported } = header;
  const { seal } = end;
  return {
    session,
    definition,
    agents,
    events,
    calls,
    blobs,
    ...(exported !== undefined && { exported }),
    digest: draft.digest,
    ...(seal !== undefined && { seal }),
  };
}

function parse(text: string, line: number): ExportLine {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value as unknown as ExportLine;
  } catch {
    // Told below, like any other line that is no object.
  }
  throw refusal('has a line that is no JSON object', { line });
}

function take(draft: Draft, entry: ExportLine, line: number): void {
  const isFirst = draft.header === undefined;
  if (isFirst !== (entry.kind === 'session') || draft.end !== undefined)
    throw refusal('has a line where it does not belong', { line });
  if (!hasShape(entry)) throw refusal('has a line that is not of this format', { line });
  switch (entry.kind) {
    case 'session':
      draft.header = entry;
      return;
    case 'event':
      draft.events.push(entry.event);
      return;
    case 'call':
      draft.calls.push(entry.call);
      return;
    case 'blob':
      if (digestOf(entry.value) !== entry.digest)
        throw refusal('has a value that is not what its digest says', { line });
      draft.blobs.push(entry.value);
      return;
    case 'end':
      draft.end = entry;
  }
}

/** Whether a line has the parts of its kind; what is inside of an event the chain tells, and the rest the store. */
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
    ['active', 'blocked', 'completed'].includes(session.status)
  );
}

function verify({ sid, revision, hash }: SessionRow, events: readonly JournalEvent[]): void {
  const verdict = verifyChain(sid, events);
  if (!verdict.ok)
    throw refusal(`is not what was sealed, from revision ${verdict.brokenAt} on`, {
      revision: verdict.brokenAt,
    });
  if (verdict.head.revision !== revision || verdict.head.hash !== hash)
    throw refusal('does not end as its header says', { revision });
}

function refusal(
  what: string,
  data: { readonly line?: number; readonly revision?: number } = {},
): WorkflowError {
  const at = data.line === undefined ? '' : ` (line ${data.line})`;
  return new WorkflowError('VALIDATION', `The exported session ${what}${at}; export it again.`, { data });
}
