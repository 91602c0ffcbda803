import type { SessionListRow, SessionsReply } from '../../src/contract/index.ts';

export const counts = { active: 0, blocked: 0, parked: 0, completed: 0 };

/** Returns a row of the list of sessions. */
export function row(sid: string, changes: Partial<SessionListRow> = {}): SessionListRow {
  return {
    sid,
    workflowId: 'review',
    version: '1.0.0',
    principal: 'local',
    agent: 'ann',
    status: 'active',
    revision: 1,
    createdAt: '2026-03-01T10:00:00.000Z',
    updatedAt: '2026-03-01T10:00:00.000Z',
    title: 'Review',
    progress: { done: 0, of: 2 },
    ...changes,
  };
}

/** Returns the ids of the sessions on each page. */
export const sids = (pages: readonly SessionsReply[]): readonly (readonly string[])[] =>
  pages.map(({ sessions }) => sessions.map(({ sid }) => sid));
