import { messages } from '../messages.ts';
import { canElicit } from '../json-rpc/ask-client.ts';
import type { DecodedText, RpcRequest } from '../json-rpc/rpc-messages.ts';
import type { VersionPolicy } from '../json-rpc/lifecycle.ts';
import { route } from '../json-rpc/lifecycle.ts';
import { errorReply, resultReply, rpcCodes } from '../json-rpc/rpc-messages.ts';
import type { Reply } from './replies.ts';
import { jsonReply, refusal } from './replies.ts';
import type { SessionFacts } from './session-ids.ts';

/** Options for {@link answerWithoutSession}. */
export interface WithoutSessionOptions extends VersionPolicy {
  issue(session: Pick<SessionFacts, 'version' | 'canElicit'>): string;
  /** Returns the result of `initialize` for a protocol revision. */
  introduce(version: string): object;
}

/** Answers a message without a session id: `initialize` opens a session, `ping` is answered, and all else is refused. */
export function answerWithoutSession(decoded: DecodedText, parts: WithoutSessionOptions): Reply {
  switch (decoded.kind) {
    case 'request':
      return answerRequest(decoded.message, parts);
    case 'invalid':
      return jsonReply(decoded.reply, 400);
    default:
      return refusal(400, 'Server not initialized', { details: messages.sessionIdMissing() });
  }
}

function answerRequest(request: RpcRequest, parts: WithoutSessionOptions): Reply {
  const { id } = request;
  const chosen = route(request, { kind: 'new' }, { ...parts, toolNames: new Set() });
  switch (chosen.kind) {
    case 'acknowledge':
      return jsonReply(resultReply(id, {}));
    case 'initialize': {
      const { version } = chosen;
      const session = { version, canElicit: canElicit(version, request.params?.['capabilities']) };
      const headers = { 'mcp-session-id': parts.issue(session) };
      return jsonReply(resultReply(id, parts.introduce(version)), 200, headers);
    }
    case 'refuse':
      // A refused `initialize` has status 200, because clients show the error data only then.
      return jsonReply(errorReply(id, chosen.error), request.method === 'initialize' ? 200 : 400);
    default:
      return refusal(400, 'Server not initialized', { id, code: rpcCodes.serverError });
  }
}
