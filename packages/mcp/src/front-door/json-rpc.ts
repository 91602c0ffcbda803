/** What identifies a request. */
export type RequestId = string | number;

/** A request: exactly one reply is owed. `params` is an object or left out. */
export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A notification: no reply is owed. */
export interface RpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The error of a reply. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A reply; `id` is null where the request's could not be read. */
export type RpcReply = { readonly jsonrpc: '2.0'; readonly id: RequestId | null } & (
  | { readonly result: unknown }
  | { readonly error: RpcError }
);

/** Anything that may cross the wire. */
export type RpcMessage = RpcRequest | RpcNotification | RpcReply;

/** The numbers JSON-RPC itself defines, and the one MCP servers use for a request out of turn. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  serverError: -32000,
} as const;

/** Whether a value is an object that is not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A reply that carries an error. */
export function errorReply(id: RequestId | null, error: RpcError): RpcReply {
  return { jsonrpc: '2.0', id, error };
}

/** A reply that carries a result. */
export function resultReply(id: RequestId, result: unknown): RpcReply {
  return { jsonrpc: '2.0', id, result };
}
