import type { Glance } from '@workflowlookup/core';
import type { Changed } from '../../changes/change-feed.ts';

/** What one event tells. */
interface Due {
  readonly changes: readonly Changed[];
  /** There were more than are told of one by one. */
  readonly isMore: boolean;
}

/** Changes that a page was not told of yet: each session once, however often it is written to. */
export interface Pending {
  add(changes: readonly Changed[]): void;
  /** Takes what is due, the last first. */
  take(): Due;
  readonly isEmpty: boolean;
}

/** What one event may hold; a page that is slower hears that there is more. */
const most = 50;

/** Makes one. */
export function createPending(): Pending {
  const bySid = new Map<string, Changed>();
  let isMore = false;
  return {
    add(changes) {
      for (const change of changes) {
        bySid.delete(change.sid);
        bySid.set(change.sid, change);
      }
      while (bySid.size > most) {
        const [oldest = ''] = bySid.keys();
        bySid.delete(oldest);
        isMore = true;
      }
    },
    take() {
      const due = { changes: [...bySid.values()].toReversed(), isMore };
      bySid.clear();
      isMore = false;
      return due;
    },
    get isEmpty() {
      return bySid.size === 0;
    },
  };
}

/** Those that are there; one that is damaged is for the list to tell of. */
export async function glancesOf(changes: readonly Changed[]): Promise<readonly Glance[]> {
  const found = await Promise.all(changes.map((change) => change.glance().catch(() => undefined)));
  return found.filter((one) => one !== undefined);
}
