import type { Operator } from '@workflowlookup/core';

/** The ids of all sessions, the one last written to first. */
export async function* everySid({ find }: Pick<Operator, 'find'>): AsyncGenerator<string, void> {
  let cursor: string | undefined;
  do {
    const page = await find({}, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    for (const { sid } of page.sessions) yield sid;
    cursor = page.next;
  } while (cursor !== undefined);
}
