import type { SessionListRow, SessionsReply, SessionsQuery } from '../contract/index.ts';

/** The filters a user can choose for the list of sessions. */
export type SessionsFilter = Omit<SessionsQuery, 'limit' | 'cursor'>;

/**
 * Returns the pages of a list after some of its sessions changed. Changed sessions that match the filter come first,
 * as in the server's order.
 */
export function mergeSessions(
  pages: readonly SessionsReply[],
  changed: readonly SessionListRow[],
  filter: SessionsFilter,
): SessionsReply[] {
  if (isDecidedByServer(filter)) return pages.map((page) => renewed(page, changed));
  const moved = new Set(changed.map(({ sid }) => sid));
  const found = changed.filter((row) => matchesFilter(row, filter));
  return pages.map((page, at) => {
    const rest = page.sessions.filter(({ sid }) => !moved.has(sid));
    return { ...page, sessions: at === 0 ? [...found, ...rest] : rest };
  });
}

/**
 * Returns whether only the server knows which sessions a list has and in which order. Rows that are shown stay where they
 * are until it answers.
 */
export function isDecidedByServer({ search, tag, sort }: SessionsFilter): boolean {
  return search !== undefined || tag !== undefined || sort !== undefined;
}

function renewed(page: SessionsReply, changed: readonly SessionListRow[]): SessionsReply {
  const bySid = new Map(changed.map((row) => [row.sid, row]));
  return { ...page, sessions: page.sessions.map((row) => bySid.get(row.sid) ?? row) };
}

function matchesFilter(
  row: SessionListRow,
  { status, workflow, agent, text, parent, since, before }: SessionsFilter,
): boolean {
  const wanted: readonly boolean[] = [
    status === undefined || status.split(',').includes(row.status),
    workflow === undefined || row.workflowId === workflow,
    agent === undefined || row.agent.toLowerCase().includes(agent.toLowerCase()),
    parent === undefined || row.parentSid === parent,
    since === undefined || row.updatedAt >= since,
    before === undefined || row.updatedAt < before,
    text === undefined || containsText(row, text),
  ];
  return wanted.every(Boolean);
}

function containsText(
  { sid, workflowId, principal, agent, project = '' }: SessionListRow,
  text: string,
): boolean {
  const wanted = text.toLowerCase();
  return [sid, workflowId, principal, agent, project].some((one) => one.toLowerCase().includes(wanted));
}
