import type { SessionRow, SessionStore } from '@workflowlookup/storage';
import type { ChildLink, SessionStatus } from '../session/status.ts';
import { statusOf } from '../session/status.ts';
import { policyFor } from '../session/policy.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';

/** Children a status looks at; it shows fewer where it would grow long. */
const maxChildren = 100;

/** Where a session stands, and what can be called now. */
export async function readStatus(
  { policy }: SessionParts,
  { vault: { store }, state, runnable, session }: OpenSession,
): Promise<SessionStatus> {
  const { gates } = policyFor(state, policy);
  // Somebody who can write to the database but has no keys can plant a child, and so say something to an agent.
  const children = (await childrenOf(store, state.sid)).filter((child) => child.unauthentic === undefined);
  return { ...statusOf(state, runnable.navigator, { children, gates }), ...marksOf(session) };
}

/** What a reader has to know about where a session comes from. */
export function marksOf({
  imported,
  unauthentic,
}: Pick<SessionRow, 'imported' | 'unauthentic'>): Pick<SessionStatus, 'imported' | 'unauthentic'> {
  return {
    ...(imported === undefined
      ? {}
      : { imported: { at: imported.at, by: imported.by, isAuthentic: imported.isAuthentic } }),
    ...(unauthentic === undefined || unauthentic === 'forged' ? {} : { unauthentic }),
  };
}

/** The newest children of a session, the one that was written to last at the end. */
export async function childrenOf(store: SessionStore, parentSid: string): Promise<readonly ChildLink[]> {
  const { sessions } = await store.find({ parentSid }, { limit: maxChildren });
  return sessions
    .flatMap(({ sid, workflowId, status, unauthentic }): ChildLink[] => {
      if (unauthentic === 'forged') return [];
      return [{ sid, workflowId, status, ...(unauthentic === undefined ? {} : { unauthentic }) }];
    })
    .toReversed();
}
