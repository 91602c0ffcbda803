import type { SealMark } from '@workflowlookup/storage';
import { assertWritable, notWritable } from '@workflowlookup/storage/journal';
import { sharedWorkflowId } from '../library/library.ts';
import type { SessionState } from '../session/session-state.ts';
import { isSessionId } from '../tokens/session-id.ts';
import type { TokenPayload } from '../tokens/token-codec.ts';
import { stateOf } from './load-state.ts';
import { assertOwner } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import { startFresh } from './start.ts';
import type { Started, StartRequest } from './sessions.ts';

/** How a caller came by a session. */
export interface Arrival extends Pick<Started, 'inherited' | 'adopted' | 'recovered'> {
  readonly state: SessionState;
  /** That a person vouched for the session, where its row authenticates. */
  readonly sealed?: SealMark;
  readonly warnings: readonly string[];
  /** Payload of the token that was shown, where it was genuine and has one. */
  readonly payload?: TokenPayload;
}

/**
 * Starts a session, or takes up the one a token or an id names. What can't be taken up becomes a fresh session with a
 * warning; the state comes from the store, never from a token that nobody signed.
 */
export async function arrive(parts: SessionParts, request: StartRequest): Promise<Arrival> {
  const { sessionToken, workflowId } = request;
  if (sessionToken === undefined) return { state: await startFresh(parts, request), warnings: [] };
  const taken = await takeUp(parts, sessionToken.trim());
  if (taken === undefined) {
    const warning =
      `The token names no session that is kept here. A fresh session of '${workflowId ?? sharedWorkflowId}' was started: ` +
      'nothing of the one before was taken over.';
    return { state: await startFresh(parts, request), recovered: true, warnings: [warning] };
  }
  const other = workflowId !== undefined && workflowId !== taken.state.workflowId;
  const warning = `The session runs '${taken.state.workflowId}'; to start one of '${workflowId}', leave session_token out.`;
  return other ? { ...taken, warnings: [...taken.warnings, warning] } : taken;
}

async function takeUp(parts: SessionParts, token: string): Promise<Arrival | undefined> {
  const { tokens } = await parts.vault();
  const opened = tokens.open(token);
  if (opened.kind === 'genuine') {
    const { sid, payload } = opened.claims;
    const found = await findSession(parts, sid);
    return found && { ...found, inherited: true, ...(payload === undefined ? {} : { payload }) };
  }
  const sid = opened.kind === 'unsigned' ? opened.sid : token;
  const found = isSessionId(sid) ? await findSession(parts, sid) : undefined;
  if (found === undefined) return undefined;
  const warning =
    opened.kind === 'unsigned'
      ? 'The token was not signed by this server. The session it names was taken up as it is kept here; nothing was taken from the token.'
      : 'The session was taken up by its id, as it is kept here.';
  return { ...found, inherited: true, adopted: true, warnings: [warning, ...found.warnings] };
}

/** A session sealed with a key that is lost keeps its place: an agent can read its status, and nothing else. */
async function findSession(
  parts: SessionParts,
  sid: string,
): Promise<Pick<Arrival, 'state' | 'sealed' | 'warnings'> | undefined> {
  const { store } = await parts.vault();
  const loaded = await store.load(sid);
  if (loaded === undefined) return undefined;
  assertOwner(loaded, parts.caller);
  const { session } = loaded;
  if (session.unauthentic === 'unknown-key')
    return { state: stateOf(loaded), warnings: [notWritable(session).message] };
  assertWritable(session);
  const { sealed } = session;
  return { state: stateOf(loaded), ...(sealed !== undefined && { sealed }), warnings: [] };
}
