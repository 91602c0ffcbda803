import type { Json, JsonObject } from '@workflowlookup/schema';
import { WorkflowError, digestOf, isJsonObject } from '@workflowlookup/schema';
import { isVouchedDefinition, verifyChain } from './hash-chain.ts';
import { noSession } from './errors.ts';
import type { EndLine, ExportLine, ExportMark, HeaderLine } from './export-session.ts';
import { digestOfLines, exportFormat } from './export-session.ts';
import type {
  ImportMark,
  JournalEvent,
  NewSession,
  SealVerdict,
  Seals,
  SessionRow,
  SessionStore,
} from './session-store.ts';
import { exportMessages } from '../messages.ts';

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
    ...(isTrusted && parentSid !== undefined && { parentSid }),
    ...(isTrusted && project !== undefined && { project }),
    ...(imported !== undefined && { imported }),
    ...(sealed !== undefined && { sealed }),
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
    // Invalid JSON is reported below, like any line that is not an object.
  }
  throw refusal(exportMessages.notAnObject(), { line });
}

function take(draft: Draft, entry: ExportLine, line: number): void {
  const isFirst = draft.header === undefined;
  if (isFirst !== (entry.kind === 'session') || draft.end !== undefined)
    throw refusal(exportMessages.misplacedLine(), { line });
  if (!hasShape(entry)) throw refusal(exportMessages.unknownLine(), { line });
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
      if (digestOf(entry.value) !== entry.digest) throw refusal(exportMessages.wrongValue(), { line });
      draft.blobs.push(entry.value);
      return;
    case 'end':
      draft.end = entry;
  }
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
    ['active', 'blocked', 'parked', 'completed'].includes(session.status)
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
