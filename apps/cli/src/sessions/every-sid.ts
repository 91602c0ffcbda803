import type { Operator, SessionQuery, SessionRow } from '@workflowlookup/core';

/** All sessions that a query finds, the one last written to first. */
async function* everySession(
  { find }: Pick<Operator, 'find'>,
  query: SessionQuery = {},
): AsyncGenerator<SessionRow, void> {
  let cursor: string | undefined;
  do {
    const page = await find(query, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.sessions;
    cursor = page.next;
  } while (cursor !== undefined);
}

/** The ids of all sessions, the one last written to first. */
export async function* everySid(operator: Pick<Operator, 'find'>): AsyncGenerator<string, void> {
  for await (const { sid } of everySession(operator)) yield sid;
}
