export type RequestId = string | number;

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface RpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A reply. Its id is null if the id of the request could not be read. */
export type RpcReply = { readonly jsonrpc: '2.0'; readonly id: RequestId | null } & (
  | { readonly result: unknown }
  | { readonly error: RpcError }
);

export type RpcMessage = RpcRequest | RpcNotification | RpcReply;

/** The error codes of JSON-RPC, and `serverError`, which MCP servers use for a request at the wrong time. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  serverError: -32000,
} as const;

/** Returns whether a value is an object and not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Creates the error for a message that is not a valid request. */
export function invalidRequest(details: string): RpcError {
  return { code: rpcCodes.invalidRequest, message: 'Invalid Request', data: { details } };
}

/** Creates the error for a request with invalid parameters. */
export function invalidParams(details: string): RpcError {
  return { code: rpcCodes.invalidParams, message: 'Invalid params', data: { details } };
}

export function errorReply(id: RequestId | null, error: RpcError): RpcReply {
  return { jsonrpc: '2.0', id, error };
}

export function resultReply(id: RequestId, result: unknown): RpcReply {
  return { jsonrpc: '2.0', id, result };
}

/** Adds the `data` that the handshake specification requires to the SDK's own errors in a legacy session. */
export function addErrorDetails(reply: RpcReply, { method }: RpcRequest): RpcReply {
  if (!('error' in reply)) return reply;
  const { code, message, data } = reply.error;
  if (code === rpcCodes.methodNotFound)
    return { ...reply, error: { code, message: 'Method not found', data: { method } } };
  if (code === rpcCodes.invalidParams && data === undefined) {
    return { ...reply, error: invalidParams(message) };
  }
  return reply;
}
