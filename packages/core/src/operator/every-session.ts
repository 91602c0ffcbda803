import type { SessionQuery, SessionRow, SessionStore } from '@workflowlookup/storage';

const pageSize = 1000;

/** All sessions that a query finds, the one last written to first. */
export async function* everySession(
  store: Pick<SessionStore, 'find'>,
  query: SessionQuery,
): AsyncGenerator<SessionRow> {
  let cursor: string | undefined;
  do {
    const page = await store.find(query, { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.sessions;
    cursor = page.next;
  } while (cursor !== undefined);
}
