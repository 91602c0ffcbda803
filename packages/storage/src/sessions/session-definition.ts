import type { JsonObject } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import type { SealMark, SessionRow, SessionStore } from '../session-store.ts';
import { isUnvouched } from './unauthentic.ts';

/** A definition, as a session may use it. */
export interface SessionDefinition {
  readonly body: JsonObject;
  /** Whether it has a genuine seal, so that every session with its digest may run on it. */
  readonly isSealed: boolean;
}

/**
 * The definition of a session: one with a genuine seal; the one that a person vouched for together with this session; or
 * any, where nobody vouches for the session either.
 *
 * @throws WorkflowError STORAGE where the one that is kept is none of these
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

/** Whether a definition is the one that a person vouched for: a digest of a workflow does not cover every field, this one does. */
export function isVouchedDefinition(sealed: SealMark | undefined, body: JsonObject): boolean {
  return sealed?.definition === digestOf(body);
}
