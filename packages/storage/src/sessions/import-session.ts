import { WorkflowError } from '@workflowlookup/schema';
import type { SessionRow, SessionStore } from '../session-store.ts';
import type { ExportedSession } from './read-export.ts';
import { readExport } from './read-export.ts';

/**
 * Keeps a session from the lines of an export, after all of them were verified ({@link readExport}), as
 * {@link keepExported} does. What is verified is that nothing was changed by accident: who can write an export can seal
 * one.
 */
export async function importSession(
  store: SessionStore,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<SessionRow> {
  return keepExported(store, await readExport(lines));
}

/**
 * Keeps a session that was read from an export. Its events and its state at the end are kept at once or not at all;
 * calls follow. Throws `STATE` where the session is already there.
 */
export async function keepExported(
  store: SessionStore,
  { session, definition, agents, events, calls, blobs }: ExportedSession,
): Promise<SessionRow> {
  await store.putDefinition(session.digest, definition);
  const digests: string[] = [];
  for (const value of blobs) digests.push(await store.putBlob(value));
  const { status, revision: _r, hash: _h, createdAt: _c, updatedAt: _u, ...identity } = session;
  if (!(await store.create(identity, { events, status, blobs: digests })))
    throw new WorkflowError('STATE', `Session '${session.sid}' is already in this store.`, {
      data: { sid: session.sid },
    });
  for (const agent of agents) await store.joinAgent(session.sid, agent);
  for (const call of calls) await store.recordCall(session.sid, call);
  return session;
}
