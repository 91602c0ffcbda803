import type { RpcReply, RpcRequest } from './json-rpc.ts';
import { rpcCodes } from './json-rpc.ts';

/** Gives the SDK's own refusals in a legacy session the shape of the handshake specification. */
export function polishReply(reply: RpcReply, { method }: RpcRequest): RpcReply {
  if (!('error' in reply)) return reply;
  const { code, message, data } = reply.error;
  if (code === rpcCodes.methodNotFound)
    return { ...reply, error: { code, message: 'Method not found', data: { method } } };
  if (code === rpcCodes.invalidParams && data === undefined) {
    return { ...reply, error: { code, message: 'Invalid params', data: { details: message } } };
  }
  return reply;
}
