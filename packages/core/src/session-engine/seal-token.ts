import type { SessionState } from '../session/session-state.ts';
import type { TokenPayload } from '../tokens/token-codec.ts';
import type { OpenSession, SessionAgent } from './open-session.ts';
import type { SessionVault } from './parts.ts';

/** What a token is made from. */
export interface TokenSource {
  readonly vault: SessionVault;
  readonly state: SessionState;
  readonly agent: SessionAgent;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Payload of the token before, where that shows one. */
  readonly before?: TokenPayload | undefined;
  /** The skill that was just loaded. */
  readonly skill?: string | undefined;
}

/** Longer conditions are cut: a token is carried by models. */
const maxConditionChars = 256;

/** The token of a session as it stands, for one of its agents. */
export function sealToken({ vault, state, agent, nowMs, before, skill }: TokenSource): string {
  const { sid, revision, parent, gate } = state;
  const payload: TokenPayload = {
    wf: state.workflowId,
    act: state.current ?? '',
    skill: skill ?? before?.skill ?? '',
    cond: state.lastCondition.slice(0, maxConditionChars),
    v: state.version,
    seq: before === undefined ? 0 : before.seq + 1,
    ts: Math.floor(nowMs / 1000),
    sid,
    aid: agent.id,
    ...(gate === undefined ? {} : { bcp: gate.checkpoint }),
    ...(parent === undefined
      ? {}
      : { psid: parent.sid, pwf: parent.workflowId, pact: parent.activity ?? '', pv: parent.version }),
  };
  return vault.tokens.seal({ sid, revision, agent: agent.number, payload });
}

/** The token to go on with after a call. */
export function nextToken(
  { vault, state, agent, seen }: OpenSession,
  nowMs: number,
  more: Pick<TokenSource, 'skill'> & { readonly state?: SessionState } = {},
): string {
  return sealToken({ vault, state, agent, nowMs, before: seen.payload, ...more });
}
