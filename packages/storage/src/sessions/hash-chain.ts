import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError, digestOf } from '@workflowlookup/schema';
import { rowNames, sealMessages } from '../messages.ts';
import { createPauses } from '../pauses.ts';
import type {
  JournalEvent,
  JournalHead,
  Range,
  Reading,
  SealMark,
  SessionRow,
  SessionStore,
} from './session-store.ts';

/** An event before it has a place in a journal. */
export interface EventDraft {
  /** ISO 8601 in UTC, with milliseconds. */
  readonly at: string;
  readonly type: string;
  readonly data: JsonObject;
}

/** The head of a journal without events. */
export const emptyJournal: JournalHead = { revision: 0, hash: '' };

/**
 * Adds revisions and hashes to events that follow the head of a session's journal. Each hash covers all events before
 * it.
 */
export function sealEvents(
  sid: string,
  head: JournalHead,
  drafts: readonly EventDraft[],
): readonly JournalEvent[] {
  let { revision, hash: prevHash } = head;
  return drafts.map(({ at, type, data }) => {
    revision += 1;
    const open = { revision, at, type, data, prevHash };
    const hash = hashEvent(sid, open);
    prevHash = hash;
    return { ...open, hash };
  });
}

/**
 * Returns the hash of an event: `sha256:` over the canonical JSON of the session id and every field except the hash.
 */
export function hashEvent(sid: string, event: Omit<JournalEvent, 'hash'>): string {
  const { revision, at, type, data, prevHash } = event;
  return digestOf({ sid, revision, at, type, data, prevHash });
}

/** The result of checking a hash chain: its head, or the first revision that was changed. */
export type ChainVerdict =
  | { readonly ok: true; readonly head: JournalHead }
  | { readonly ok: false; readonly brokenAt: number };

/**
 * Checks the events of a session from the first one, or those after `head`: each must have the next revision, the hash
 * of the event before, and a correct hash of its own. Events missing at the end are not detected here; compare the
 * head.
 */
export function verifyChain(
  sid: string,
  events: Iterable<JournalEvent>,
  head: JournalHead = emptyJournal,
): ChainVerdict {
  let { revision, hash } = head;
  for (const event of events) {
    revision += 1;
    const isNext = event.revision === revision && event.prevHash === hash;
    if (!isNext || !hasItsHash(sid, event)) return { ok: false, brokenAt: revision };
    hash = event.hash;
  }
  return { ok: true, head: { revision, hash } };
}

function hasItsHash(sid: string, event: JournalEvent): boolean {
  try {
    return event.hash === hashEvent(sid, event);
  } catch {
    // Data that canonical JSON can't represent was never sealed.
    return false;
  }
}

/** Small, because a page is read and checked without a pause, and an agent decides how many events there are. */
const pageSize = 100;

/** The intact part of a journal, and the verdict. */
export interface SessionAudit {
  /** The events before the first broken one, or all of them. */
  readonly events: readonly JournalEvent[];
  readonly verdict: ChainVerdict;
}

/**
 * Reads the journal of a session and checks every event and the end of the journal. Damage is reported as a verdict.
 * Throws `STORE_UNAVAILABLE` only if the store fails in another way.
 */
export async function auditSession(
  store: Pick<SessionStore, 'events'>,
  { sid, revision, hash, unauthentic }: Pick<SessionRow, 'sid' | 'revision' | 'hash' | 'unauthentic'>,
): Promise<SessionAudit> {
  const events: JournalEvent[] = [];
  let head = emptyJournal;
  let limit = pageSize;
  const pause = createPauses();
  while (head.revision < revision) {
    await pause();
    const page = await readPage(store, sid, {
      after: head.revision,
      limit: Math.min(limit, revision - head.revision),
      isUnverifiedToo: unauthentic !== undefined,
    });
    if (page === undefined && limit > 1) {
      // One event of the page is damaged. Reading them one at a time finds out which.
      limit = 1;
      continue;
    }
    const verdict = verifyChain(sid, page ?? [], head);
    const sound = verdict.ok ? (page?.length ?? 0) : verdict.brokenAt - head.revision - 1;
    events.push(...(page ?? []).slice(0, sound));
    if (!verdict.ok) return { events, verdict };
    if (sound === 0) return { events, verdict: { ok: false, brokenAt: head.revision + 1 } };
    ({ head } = verdict);
  }
  const verdict: ChainVerdict = head.hash === hash ? { ok: true, head } : { ok: false, brokenAt: revision };
  return { events, verdict };
}

/** Reads a page of events. Returns `undefined` if the store found one of them damaged. */
async function readPage(
  store: Pick<SessionStore, 'events'>,
  sid: string,
  range: Range & Reading,
): Promise<readonly JournalEvent[] | undefined> {
  try {
    return await store.events(sid, range);
  } catch (error) {
    if (error instanceof WorkflowError && error.data['reason'] === 'corrupt') return undefined;
    throw error;
  }
}

/** Returns the error for stored data that no server with these keys wrote. */
export function forged(sid: string, what: string): WorkflowError {
  return new WorkflowError('STORE_DAMAGED', sealMessages.forged(sid, what), {
    data: { reason: 'unauthentic', sid, what, retryable: false },
  });
}

/** Returns the error for a session that was sealed with a key which this server does not have. */
export function unknownKey(sid: string, key: string): WorkflowError {
  return new WorkflowError('SESSION_UNVERIFIED', sealMessages.unknownKey(sid, key), {
    data: { reason: 'unknown-key', sid, key, retryable: false },
  });
}

/** Returns the error for a session that can't be verified, so agents may not use it and nothing may be added to it. */
export function notWritable({ sid, unauthentic }: Pick<SessionRow, 'sid' | 'unauthentic'>): WorkflowError {
  const refused = (message: string, more: JsonObject): WorkflowError =>
    new WorkflowError('SESSION_UNVERIFIED', message, { data: { sid, ...more } });
  switch (unauthentic) {
    case 'unsealed':
      return refused(sealMessages.unsealed(sid), { reason: 'unsealed' });
    case 'unchecked':
      return refused(sealMessages.unchecked(sid), { reason: 'no-keys', retryable: false });
    case 'unknown-key':
      return refused(sealMessages.sealedElsewhere(sid), { reason: 'unknown-key' });
    default:
      return forged(sid, rowNames.session());
  }
}

/**
 * Refuses a session that is not authentic.
 *
 * @throws WorkflowError SESSION_UNVERIFIED or STORE_DAMAGED, with `data.reason`
 */
export function assertAuthentic(session: Pick<SessionRow, 'sid' | 'unauthentic'>): void {
  if (session.unauthentic !== undefined) throw notWritable(session);
}

/**
 * Whether the contents of a session can't be verified here: it is not authentic, or it was imported from a server with
 * other keys. Such a session may use a definition without a seal.
 */
export function isUnvouched({
  unauthentic,
  imported,
}: Pick<SessionRow, 'unauthentic' | 'imported'>): boolean {
  return unauthentic !== undefined || imported?.isAuthentic === false;
}

/**
 * Refuses to add to a session that can't be verified: one without a genuine seal, or one that was imported from a
 * server with other keys.
 *
 * @throws WorkflowError SESSION_UNVERIFIED or STORE_DAMAGED, with `data.reason`
 */
export function assertWritable(session: Pick<SessionRow, 'sid' | 'unauthentic' | 'imported'>): void {
  assertAuthentic(session);
  const { sid, imported } = session;
  if (imported === undefined || imported.isAuthentic) return;
  throw new WorkflowError('SESSION_UNVERIFIED', sealMessages.imported(sid), {
    data: { reason: 'imported', sid },
  });
}

/** The definition of a session. */
export interface SessionDefinition {
  readonly body: JsonObject;
  /** Whether it has a genuine seal, so that every session with its digest may use it. */
  readonly isSealed: boolean;
}

/**
 * Returns the definition of a session: one with a genuine seal, or the one that a person vouched for together with this
 * session. A session that can't be verified may use any definition.
 *
 * @throws WorkflowError STORE_DAMAGED if the stored definition is none of these
 */
export async function sessionDefinition(
  store: Pick<SessionStore, 'getDefinition'>,
  session: Pick<SessionRow, 'digest' | 'unauthentic' | 'imported' | 'sealed'>,
): Promise<SessionDefinition | undefined> {
  const { digest, sealed } = session;
  const isAnyTaken = isUnvouched(session);
  if (isAnyTaken || sealed?.definition !== undefined) {
    const body = await store.getDefinition(digest, { isUnsealedToo: true });
    if (body === undefined) return undefined;
    if (isAnyTaken || isVouchedDefinition(sealed, body)) return { body, isSealed: false };
  }
  const body = await store.getDefinition(digest);
  return body && { body, isSealed: true };
}

/**
 * Whether a definition is the one that a person vouched for. The digest of a workflow does not cover every field; the
 * digest compared here does.
 */
export function isVouchedDefinition(sealed: SealMark | undefined, body: JsonObject): boolean {
  return sealed?.definition === digestOf(body);
}
