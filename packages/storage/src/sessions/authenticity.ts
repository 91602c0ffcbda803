import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError, digestOf } from '@workflowlookup/schema';
import type { SealMark, SessionRow, SessionStore } from './session-store.ts';
import { sealMessages } from '../messages.ts';

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
  if (unauthentic === 'unsealed')
    return new WorkflowError('SESSION_UNVERIFIED', sealMessages.unsealed(sid), {
      data: { reason: 'unsealed', sid },
    });
  if (unauthentic === 'unchecked')
    return new WorkflowError('SESSION_UNVERIFIED', sealMessages.unchecked(sid), {
      data: { reason: 'no-keys', sid, retryable: false },
    });
  if (unauthentic === 'unknown-key')
    return new WorkflowError('SESSION_UNVERIFIED', sealMessages.sealedElsewhere(sid), {
      data: { reason: 'unknown-key', sid },
    });
  return forged(sid, 'its row');
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
