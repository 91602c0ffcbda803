import { canElicit } from '../elicitation/question-form.ts';
import type { DecodedText } from '../front-door/decode.ts';
import type { RpcRequest } from '../front-door/json-rpc.ts';
import { errorReply, resultReply, rpcCodes } from '../front-door/json-rpc.ts';
import type { VersionPolicy } from '../front-door/lifecycle.ts';
import { route } from '../front-door/lifecycle.ts';
import type { Reply } from './replies.ts';
import { jsonReply, refusal } from './replies.ts';
import type { SessionFacts } from './session-pass.ts';

/** What answering without a session takes. */
export interface OutsideParts extends VersionPolicy {
  /** Opens a session and gives its id. */
  issue(session: Pick<SessionFacts, 'version' | 'canElicit'>): string;
  /** The result of `initialize` at a revision. */
  introduce(version: string): object;
}

/** Answers what was posted without a session: it can be opened, and `ping` is answered. */
export function answerOutside(decoded: DecodedText, parts: OutsideParts): Reply {
  switch (decoded.kind) {
    case 'request':
      return answerRequest(decoded.message, parts);
    case 'invalid':
      return jsonReply(decoded.reply, 400);
    default:
      return refusal(400, 'Server not initialized', { details: sessionWanted });
  }
}

/** What a request without a session is told. */
export const sessionWanted = 'The Mcp-Session-Id header is missing: send initialize first';

function answerRequest(request: RpcRequest, parts: OutsideParts): Reply {
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
      // A refused opening is a reply like any other: clients show its data only where the status is not an error.
      return jsonReply(errorReply(id, chosen.error), request.method === 'initialize' ? 200 : 400);
    default:
      return refusal(400, 'Server not initialized', { id, code: rpcCodes.serverError });
  }
}
