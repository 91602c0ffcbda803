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
  const status = { ...statusOf(state, runnable.navigator, { children, gates }), ...marksOf(session) };
  // Every other call on such a session is refused.
  return session.unauthentic === undefined ? status : { ...status, next: [] };
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
  const children: ChildLink[] = [];
  // Each kind has its own limit, because somebody without the keys can plant any number of children that don't authenticate.
  const left = { authentic: maxChildren, doubtful: maxChildren };
  let cursor: string | undefined;
  do {
    const page = await store.find(
      { parentSid },
      { limit: maxChildren, ...(cursor !== undefined && { cursor }) },
    );
    for (const { sid, workflowId, status, unauthentic } of page.sessions) {
      if (unauthentic === 'forged') continue;
      const kind = unauthentic === undefined ? 'authentic' : 'doubtful';
      if ((left[kind] -= 1) < 0) continue;
      children.push({ sid, workflowId, status, ...(unauthentic === undefined ? {} : { unauthentic }) });
    }
    cursor = page.next;
  } while (cursor !== undefined && left.authentic > 0);
  return children.toReversed();
}
