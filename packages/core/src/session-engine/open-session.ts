import { WorkflowError } from '@workflowlookup/schema';
import type { LoadedSession, SessionRow } from '@workflowlookup/storage';
import type { SessionState } from '../session/session-state.ts';
import type { TokenPayload } from '../tokens/token-codec.ts';
import type { TokenPosition } from '../tokens/token-position.ts';
import { agentsOf } from './agents-of.ts';
import { pinnedDefinition } from './definitions.ts';
import { stateOf } from './load-state.ts';
import type { Caller, SessionParts, SessionVault } from './parts.ts';
import type { Runnable } from './runnable.ts';

/** An agent of a session. */
export interface SessionAgent {
  /** From 1, as they joined. */
  readonly number: number;
  readonly id: string;
}

/** A session as it is loaded to be read and written. */
export interface LoadedRun {
  readonly vault: Pick<SessionVault, 'store'>;
  readonly state: SessionState;
  /** As it was loaded. */
  readonly session: SessionRow;
  readonly runnable: Runnable;
  /** Who writes: an agent of the session, or a person, who has number 0. */
  readonly agent: SessionAgent;
  /** The revision that whoever writes has seen. */
  readonly seen: { readonly revision: number };
}

/** A session that a genuine token was shown for. */
export interface OpenSession extends LoadedRun {
  readonly vault: SessionVault;
  /** What the token said: the revision its holder knows, and of self-contained tokens more. */
  readonly seen: { readonly revision: number; readonly payload?: TokenPayload };
  /** That the token is of an older revision. */
  readonly stale?: string;
  /** That the definition served now is another. */
  readonly drift?: string;
}

/**
 * Opens the session a token names.
 *
 * @throws WorkflowError TOKEN_INVALID, FORBIDDEN, STORAGE
 */
export async function openSession(parts: SessionParts, token: string): Promise<OpenSession> {
  const vault = await parts.vault();
  const opened = vault.tokens.open(token);
  if (opened.kind !== 'genuine') {
    throw new WorkflowError(
      'TOKEN_INVALID',
      'The session token is not one this server made, or it was changed on the way. Give the newest token exactly as it came.',
      { data: { remedy: 'start' } },
    );
  }
  const { claims } = opened;
  const [loaded, agents] = await Promise.all([vault.store.load(claims.sid), agentsOf(vault.store, claims)]);
  if (loaded === undefined) {
    throw new WorkflowError('TOKEN_INVALID', 'The session of this token is not kept here.', {
      data: { remedy: 'start' },
    });
  }
  assertOwner(loaded, parts.caller);
  const state = stateOf(loaded);
  const id = claims.payload?.aid ?? agents[claims.agent - 1] ?? 'unknown';
  return {
    vault,
    state,
    session: loaded.session,
    ...(await pinnedDefinition(parts, vault.store, loaded.session)),
    agent: { number: claims.agent, id },
    seen: claims,
    ...staleness(claims, state),
  };
}

/** A session belongs to who started it. @throws WorkflowError FORBIDDEN */
export function assertOwner({ session }: LoadedSession, { principal }: Caller): void {
  if (session.principal === principal) return;
  throw new WorkflowError('FORBIDDEN', 'The session belongs to somebody else.');
}

function staleness({ revision }: TokenPosition, state: SessionState): Pick<OpenSession, 'stale'> {
  if (revision === state.revision) return {};
  const stale = `The token is of revision ${revision}, the session is at revision ${state.revision}: go on with the token of this answer.`;
  return { stale };
}
