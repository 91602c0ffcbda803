import type { JsonObject } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import type { JournalEvent, JournalHead } from '../session-store.ts';

/** An event before it has its place in a journal. */
export interface EventDraft {
  /** ISO 8601 in UTC, with milliseconds. */
  readonly at: string;
  readonly type: string;
  readonly data: JsonObject;
}

/** The head of a journal without events. */
export const emptyJournal: JournalHead = { revision: 0, hash: '' };

/** Gives events their place after the head of a session's journal: revision, and a hash that covers every event before. */
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

/** The hash of an event: `sha256:` over the canonical JSON of the session's id and every field but the hash. */
export function hashEvent(sid: string, event: Omit<JournalEvent, 'hash'>): string {
  const { revision, at, type, data, prevHash } = event;
  return digestOf({ sid, revision, at, type, data, prevHash });
}
