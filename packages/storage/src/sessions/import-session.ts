import { WorkflowError } from '@workflowlookup/schema';
import type { ImportMark, NewSession, SessionRow, SessionStore } from '../session-store.ts';
import type { ExportedSession } from './read-export.ts';
import { noSession } from './no-session.ts';
import { readExport } from './read-export.ts';
import { isVouchedDefinition } from './session-definition.ts';

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

/** Whose a session is from now on, and the mark that it was imported. */
export interface KeptAs {
  /** Left out: as it was. */
  readonly principal?: string;
  readonly imported?: ImportMark;
}

/**
 * Keeps a session that was read from an export. Its events and its state at the end are kept at once or not at all;
 * calls follow. Throws `STATE` where the session is already there. A digest does not cover every field of a definition,
 * so one that nobody here vouches for, or that a person vouched for with this session only, gets no seal: other sessions
 * with this digest never run on it.
 */
export async function keepExported(
  store: SessionStore,
  { session, definition, agents, events, calls, blobs }: ExportedSession,
  { principal = session.principal, imported }: KeptAs = {},
): Promise<SessionRow> {
  const { sid, workflowId, version, digest, parentSid, agent, project, status } = session;
  const taken = new WorkflowError('STATE', `Session '${sid}' is already in this store.`, { data: { sid } });
  if ((await store.load(sid)) !== undefined) throw taken;
  const isTrusted = imported?.isAuthentic !== false;
  const sealed = isTrusted ? session.sealed : undefined;
  await store.putDefinition(digest, definition, {
    isUnsealed: !isTrusted || isVouchedDefinition(sealed, definition),
  });
  const digests: string[] = [];
  for (const value of blobs) digests.push(await store.putBlob(value));
  // Whose child it is, and where it is listed, nobody proves of a session that does not authenticate.
  const identity: NewSession = {
    sid,
    workflowId,
    version,
    digest,
    principal,
    agent,
    ...(isTrusted && parentSid !== undefined && { parentSid }),
    ...(isTrusted && project !== undefined && { project }),
    ...(imported !== undefined && { imported }),
    ...(sealed !== undefined && { sealed }),
  };
  if (!(await store.create(identity, { events, status, blobs: digests }))) throw taken;
  for (const joined of agents) await store.joinAgent(session.sid, joined);
  for (const call of calls) await store.recordCall(session.sid, call);
  const kept = await store.load(session.sid);
  if (kept === undefined) throw noSession(session.sid);
  return kept.session;
}
