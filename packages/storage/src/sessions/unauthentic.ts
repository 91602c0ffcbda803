import { idInCommand, WorkflowError } from '@workflowlookup/schema';
import type { SessionRow } from '../session-store.ts';

/** What a person does about a session that does not authenticate. */
const look = (sid: string): string => `Look at it with "workflowlookup sessions verify ${idInCommand(sid)}"`;

/** Says that what is stored of a session is not what a server with these keys wrote. */
export function forged(sid: string, what: string): WorkflowError {
  return new WorkflowError(
    'STORAGE',
    `Session '${sid}' can't be used: ${what} is not what a server with these keys wrote. ${look(sid)}, then restore the database from a backup.`,
    { data: { reason: 'unauthentic', sid, what, retryable: false } },
  );
}

/** Says that a session was sealed with a key that is not in the ring. */
export function unknownKey(sid: string, key: string): WorkflowError {
  return new WorkflowError(
    'STORAGE',
    `Session '${sid}' can't be used: it was sealed with the key '${key}', which this server does not have. Add that key to the ring again. If it is lost, and "workflowlookup sessions verify ${idInCommand(sid)}" finds nothing else, run "workflowlookup sessions seal ${idInCommand(sid)} --lost-key ${idInCommand(key)}".`,
    { data: { reason: 'unknown-key', sid, key, retryable: false } },
  );
}

/** Says that no agent may use a session and nothing is added to it, because nobody vouches for what it holds. */
export function notWritable({ sid, unauthentic }: Pick<SessionRow, 'sid' | 'unauthentic'>): WorkflowError {
  const refused = `Session '${sid}' is not served to agents and can't be continued:`;
  if (unauthentic === 'unsealed')
    return new WorkflowError(
      'STATE',
      `${refused} it has no seal. An older version or another program wrote it, or somebody changed the database. A person can look at it with "workflowlookup sessions verify ${idInCommand(sid)}" and, if it is right, continue it with "workflowlookup sessions seal ${idInCommand(sid)}".`,
      { data: { reason: 'unsealed', sid } },
    );
  if (unauthentic === 'unchecked')
    return new WorkflowError(
      'STORAGE',
      `${refused} this program does not have the keys of its servers. Set WORKFLOWLOOKUP_KEYS as the servers have it.`,
      { data: { reason: 'no-keys', sid, retryable: false } },
    );
  if (unauthentic === 'unknown-key')
    return new WorkflowError(
      'STATE',
      `${refused} this server does not have the key that sealed it. ${look(sid)}, which names the key, and add that key to the ring again. If the key is lost, a person can continue the session with "workflowlookup sessions seal ${idInCommand(sid)} --lost-key ID".`,
      { data: { reason: 'unknown-key', sid } },
    );
  return forged(sid, 'its row');
}

/** Refuses a session that does not authenticate. @throws WorkflowError STATE or STORAGE, with `data.reason` */
export function assertAuthentic(session: Pick<SessionRow, 'sid' | 'unauthentic'>): void {
  if (session.unauthentic !== undefined) throw notWritable(session);
}

/**
 * Whether nobody here vouches for what a session holds: it does not authenticate, or it was imported and no key of this
 * server sealed the export. Its definition may be one that was kept without a seal.
 */
export function isUnvouched({
  unauthentic,
  imported,
}: Pick<SessionRow, 'unauthentic' | 'imported'>): boolean {
  return unauthentic !== undefined || imported?.isAuthentic === false;
}

/**
 * Refuses to add to a session that nobody vouches for: one without a seal, and one that was imported from a server with
 * other keys.
 *
 * @throws WorkflowError STATE or STORAGE, with `data.reason`
 */
export function assertWritable(session: Pick<SessionRow, 'sid' | 'unauthentic' | 'imported'>): void {
  assertAuthentic(session);
  const { sid, imported } = session;
  if (imported === undefined || imported.isAuthentic) return;
  throw new WorkflowError(
    'STATE',
    `Session '${sid}' can be read but not continued: it was imported, and no key of this server sealed what it holds. Start a new session of the same workflow, or continue this one where it was exported.`,
    { data: { reason: 'imported', sid } },
  );
}
