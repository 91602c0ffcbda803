import { WorkflowError } from '@workflowlookup/schema';
import type { JournalEvent, SessionRow, SessionStore } from '../session-store.ts';
import { emptyJournal } from './seal-events.ts';
import type { ChainVerdict } from './verify-chain.ts';
import { verifyChain } from './verify-chain.ts';

const pageSize = 500;

/** A journal as far as it is sound. */
export interface SessionAudit {
  /** Those before the first broken link; all where there is none. */
  readonly events: readonly JournalEvent[];
  readonly verdict: ChainVerdict;
}

/**
 * Reads the journal of a session and checks it link by link: every event is what was sealed, and it ends as the session
 * says. What is broken is a verdict; throws `STORAGE` only where the store fails in another way.
 */
export async function auditSession(
  store: Pick<SessionStore, 'events'>,
  { sid, revision, hash }: Pick<SessionRow, 'sid' | 'revision' | 'hash'>,
): Promise<SessionAudit> {
  const events: JournalEvent[] = [];
  let head = emptyJournal;
  let limit = pageSize;
  while (head.revision < revision) {
    const page = await readPage(store, sid, {
      after: head.revision,
      limit: Math.min(limit, revision - head.revision),
    });
    if (page === undefined && limit > 1) {
      // One of them is broken: one at a time they tell which.
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

/** Events of a journal; `undefined` where the store found one of them damaged. */
async function readPage(
  store: Pick<SessionStore, 'events'>,
  sid: string,
  range: { readonly after: number; readonly limit: number },
): Promise<readonly JournalEvent[] | undefined> {
  try {
    return await store.events(sid, range);
  } catch (error) {
    if (error instanceof WorkflowError && error.data['reason'] === 'corrupt') return undefined;
    throw error;
  }
}
