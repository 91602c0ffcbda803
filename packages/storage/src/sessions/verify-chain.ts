import type { JournalEvent, JournalHead } from '../session-store.ts';
import { emptyJournal, hashEvent } from './seal-events.ts';

/** Whether events are a journal nobody changed: where it ends, or the first revision that is not what was sealed. */
export type ChainVerdict =
  | { readonly ok: true; readonly head: JournalHead }
  | { readonly ok: false; readonly brokenAt: number };

/**
 * Checks the events of a session from the first one on, or those after `head`: each has the next revision, names the
 * hash before it, and has the hash of what it says. Events cut off at the end can't be seen here; compare the head.
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
    // What canonical JSON can't write was never sealed.
    return false;
  }
}
