import type { IndexEntry, IndexGap, SessionIndex, SessionQuery, SessionStore } from '@workflowlookup/storage';
import { WorkflowError } from '@workflowlookup/schema';
import { deriveEntry, indexVersion } from './index-entry.ts';
import type { SessionFigures } from './session-figures.ts';

/** How far a list or figures are up to date. */
export interface Freshness {
  /** Sessions that changed and whose title, outcome and figures are not derived again yet. */
  readonly behind: number;
}

/** The number of sessions whose entries are stored in one write. */
const batch = 50;
/** The most sessions that are counted as behind. */
const maxBehind = 10_000;

const running = new WeakMap<SessionStore, Promise<void>>();

/**
 * Derives the entries of sessions that changed, the latest first, until all are up to date or the time is over. The work
 * that is left continues in the background if `isContinued` is set. Several calls share the work.
 */
export async function refreshIndex(
  store: SessionStore,
  {
    waitMs = Infinity,
    isContinued = false,
  }: { readonly waitMs?: number; readonly isContinued?: boolean } = {},
): Promise<Freshness> {
  const { index } = store;
  if (index === undefined || (store.seals?.hasKeys() === false && !store.seals.isPlain)) return { behind: 0 };
  const gaps = await index.outdated(indexVersion, maxBehind);
  const done = await fillGaps(store, index, { gaps, waitMs });
  const behind = gaps.length - done;
  if (behind > 0 && isContinued) continueInBackground(store, index);
  return { behind };
}

/** Derives the entries of sessions until the time is over. Returns how many it derived. */
async function fillGaps(
  store: SessionStore,
  index: SessionIndex,
  { gaps, waitMs }: { readonly gaps: readonly IndexGap[]; readonly waitMs: number },
): Promise<number> {
  const deadline = performance.now() + waitMs;
  const isOver = (): boolean => performance.now() > deadline;
  let done = 0;
  while (done < gaps.length && !isOver()) {
    const some = gaps.slice(done, done + batch);
    const entries: IndexEntry[] = [];
    for (const gap of some) {
      if (isOver()) break;
      entries.push(await deriveEntry(store, gap));
    }
    await index.put(indexVersion, entries);
    done += entries.length;
  }
  return done;
}

function continueInBackground(store: SessionStore, index: SessionIndex): void {
  if (running.has(store)) return;
  const work = refreshSlowly(store, index).finally(() => running.delete(store));
  running.set(store, work);
}

/** A piece of the work in the background, and the pause after it in which calls of agents are served. */
const pieceMs = 30;
const pauseMs = 10;

/**
 * Works in short pieces. It looks for outdated sessions again only when it is done with those that it found, because
 * that reads a row of every session.
 */
async function refreshSlowly(store: SessionStore, index: SessionIndex): Promise<void> {
  try {
    for (;;) {
      let gaps = await index.outdated(indexVersion, maxBehind);
      if (gaps.length === 0) return;
      while (gaps.length > 0) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        gaps = gaps.slice(await fillGaps(store, index, { gaps, waitMs: pieceMs }));
      }
    }
  } catch (error) {
    // The store is closed or failing. The next request tries again and reports the error.
    if (!(error instanceof WorkflowError)) throw error;
  }
}

/** An entry whose figures are read. Absent figures: the session can't be verified. */
export interface CountedSession extends Omit<IndexEntry, 'text' | 'figures'> {
  readonly figures: SessionFigures | undefined;
}

/** Returns the figures of all sessions that a query finds. */
export async function countedSessions(
  store: SessionStore,
  query: SessionQuery,
): Promise<readonly CountedSession[]> {
  const entries =
    store.index === undefined ? await derivedNow(store, query) : await store.index.select(query);
  return entries.map((entry) => ({ ...entry, figures: figuresIn(entry) }));
}

function figuresIn({ figures }: Pick<IndexEntry, 'figures'>): SessionFigures | undefined {
  return 'workflowId' in figures ? (figures as unknown as SessionFigures) : undefined;
}

/** Counts from the journals, in a store without an index. */
async function derivedNow(store: SessionStore, query: SessionQuery): Promise<readonly IndexEntry[]> {
  const { tags = [], search = '', ...rest } = query;
  const entries: IndexEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.find(rest, { limit: 1_000, ...(cursor !== undefined && { cursor }) });
    for (const { sid, revision } of page.sessions)
      entries.push(await deriveEntry(store, { sid, revision, calls: 0 }));
    cursor = page.next;
  } while (cursor !== undefined);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(
    (entry) =>
      tags.every((one) => entry.tags.includes(one)) && words.every((word) => entry.text.includes(word)),
  );
}
