import type { Operator, SessionCounts } from '@workflowlookup/core';
import type { ChangeFeed } from '../../changes/change-feed.ts';
import type { Signed } from '../account/signed.ts';
import { seesAll } from '../account/signed.ts';

/** Counts the sessions somebody may see. */
export type Counts = (signed: Signed, operator: Pick<Operator, 'counts'>) => Promise<SessionCounts>;

/** Makes counts that ask the database once for each principal and change, however many pages are told of it. */
export function createCounts(feed: Pick<ChangeFeed, 'told'>): Counts {
  const kept = new Map<string, Promise<SessionCounts>>();
  let at = -1;
  return (signed, operator) => {
    const told = feed.told();
    if (told !== at) kept.clear();
    at = told;
    const key = seesAll(signed) ? '' : signed.principal;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const counts = operator.counts();
    kept.set(key, counts);
    counts.catch(() => kept.delete(key));
    return counts;
  };
}
