import { WorkflowError } from '@workflowlookup/schema';
import { emptyJournal } from './hash-chain.ts';
import type { JournalHead, NewSession, PageRequest, SessionWrite } from './session-store.ts';
import { callMessages } from '../messages.ts';

const sidPattern = /^[!-~]{1,128}$/;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Whether a session id is well formed. */
export function isSid(sid: string): boolean {
  return sidPattern.test(sid);
}

/** Whether every database stores this text unchanged: it has no NUL and no lone surrogate. */
export function isPlainText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

/** Refuses a new session that not every database can store. */
export function checkNewSession(session: NewSession, write: SessionWrite): void {
  if (!isSid(session.sid)) refuse(callMessages.badSessionId(session.sid));
  checkTexts(session);
  checkWrite(emptyJournal, write);
}

/**
 * Refuses events that do not form a hash chain after a revision. The store itself checks whether the chain fits the
 * journal.
 */
export function checkWrite({ revision }: Pick<JournalHead, 'revision'>, write: SessionWrite): void {
  const { events, snapshot, command, blobs = [] } = write;
  if (events.length === 0) refuse(callMessages.noEvents());
  for (const [index, event] of events.entries()) {
    if (event.revision !== revision + index + 1)
      refuse(callMessages.wrongRevision(event.revision, revision + index + 1));
    if (index > 0 && event.prevHash !== events[index - 1]?.hash)
      refuse(callMessages.brokenChain(event.revision));
    checkTime(event.at);
    checkTexts({ type: event.type, hash: event.hash });
  }
  if (snapshot !== undefined && !(snapshot.revision >= 0 && snapshot.revision <= revision + events.length))
    refuse(callMessages.snapshotAhead(snapshot.revision, revision + events.length));
  if (command !== undefined) checkTexts({ key: command.key });
  checkTexts({ ...blobs });
}

/** Refuses a time in any other format than that of events, because times are compared as texts. */
export function checkTime(time: string): void {
  if (!timePattern.test(time)) refuse(callMessages.badTime(time));
}

/** Refuses texts that not every database stores or compares unchanged. */
export function checkTexts(texts: object): void {
  for (const [field, text] of Object.entries(texts))
    if (typeof text === 'string' && !isPlainText(text)) refuse(callMessages.badText(field));
}

function refuse(message: string): never {
  throw new WorkflowError('INVALID_INPUT', message);
}

/** The position of a session in a list that is sorted by the time of the last write and then by id, both descending. */
export interface PagePosition {
  readonly updatedAt: string;
  readonly sid: string;
}

export interface PageStart {
  readonly limit: number;
  /** The last session of the previous page. */
  readonly before?: PagePosition;
}

/** Validates a page request. Throws `INVALID_INPUT` for an invalid limit or cursor. */
export function pageStart({ limit = 100, cursor }: PageRequest): PageStart {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) refuse(callMessages.badPageLimit(limit));
  return cursor === undefined ? { limit } : { limit, before: readCursor(cursor) };
}

/** Returns the cursor that continues after this session. */
export function pageCursor({ updatedAt, sid }: PagePosition): string {
  return `${encodeURIComponent(updatedAt)}/${encodeURIComponent(sid)}`;
}

function readCursor(cursor: string): PagePosition {
  try {
    const [updatedAt = '', sid = '', ...more] = cursor.split('/').map(decodeURIComponent);
    if (sid !== '' && more.length === 0 && pageCursor({ updatedAt, sid }) === cursor)
      return { updatedAt, sid };
  } catch {
    // A malformed escape sequence is reported below, like any other malformed cursor.
  }
  refuse(callMessages.badCursor());
}
