import type { SessionStore } from '@workflowlookup/storage';

/** What was read of each store, by session, the newest last. */
const known = new WeakMap<SessionStore, Map<string, readonly string[]>>();
const maxKnown = 1024;

/** The agents of a session by their numbers, at least up to the one asked for: who joined stays, so it is read once. */
export async function agentsOf(
  store: SessionStore,
  { sid, agent }: { readonly sid: string; readonly agent: number },
): Promise<readonly string[]> {
  const bySession = known.get(store) ?? new Map<string, readonly string[]>();
  known.set(store, bySession);
  const before = bySession.get(sid);
  if (before !== undefined && before.length >= agent) return before;
  const agents = await store.agents(sid);
  const [oldest] = bySession.keys();
  if (bySession.size >= maxKnown && oldest !== undefined) bySession.delete(oldest);
  if (agents.length > 0) bySession.set(sid, agents);
  return agents;
}
