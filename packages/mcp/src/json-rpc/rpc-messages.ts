import { describeValue, messages } from '../messages.ts';

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

/** The maximum nesting depth of a message. Deeper ones would overflow the stack of recursive functions. */
const maxNesting = 256;

/** The maximum length of an id or a method, because replies repeat them. */
const maxNameLength = 256;

/** The maximum length of a resource URI, because it is matched against patterns. */
const maxUriLength = 8192;

/** A decoded message. `invalid` carries the error reply to send. */
export type Decoded =
  | { readonly kind: 'request'; readonly message: RpcRequest }
  | { readonly kind: 'notification'; readonly message: RpcNotification }
  | { readonly kind: 'response'; readonly message: RpcReply }
  | { readonly kind: 'invalid'; readonly reply: RpcReply }
  | { readonly kind: 'ignored' };

/** A decoded text: a message, a batch of messages, or `ignored` if it is blank. */
export type DecodedText = Decoded | { readonly kind: 'batch'; readonly entries: readonly Decoded[] };

/**
 * Decodes one text from the client. It checks only the form of messages; {@link route} decides what they may do.
 *
 * @see docs/decisions/0001-front-door.md
 */
export function decode(text: string): DecodedText {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (body.trim() === '') return { kind: 'ignored' };
  const parsed = parse(body);
  if (parsed === undefined) return unparsable;
  // Each level takes at least two characters, so a short text can't be nested too deeply.
  if (body.length > 2 * maxNesting && isDeeper(parsed.value, maxNesting)) {
    const details = messages.nestedTooDeeply(maxNesting);
    return invalid(idOfRequest(parsed.value), invalidRequest(details));
  }
  if (!Array.isArray(parsed.value)) return decodeMessage(parsed.value);
  if (parsed.value.length === 0) return invalid(null, invalidRequest(messages.emptyBatch()));
  return { kind: 'batch', entries: parsed.value.map(decodeMessage) };
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // `for in` is faster than Object.values for large objects.
  for (const name in value)
    if (isDeeper((value as Readonly<Record<string, unknown>>)[name], levels - 1)) return true;
  return false;
}

/** Returns the id to use in an error reply. For a response it is null, because a request could have the same id. */
function idOfRequest(value: unknown): RequestId | null {
  if (!isRecord(value) || !('method' in value)) return null;
  const { id } = value;
  return isRequestId(id) && !isTooLong(id, maxNameLength) ? id : null;
}

function isTooLong(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length > maxLength;
}

function decodeMessage(value: unknown): Decoded {
  if (!isRecord(value)) return invalid(null, invalidRequest(messages.notAnObject(describeValue(value))));
  if (isTooLong(value['id'], maxNameLength))
    return invalid(null, invalidRequest(messages.tooLong('id', maxNameLength, value['id'].length)));
  const id = isRequestId(value['id']) ? value['id'] : null;
  if (value['jsonrpc'] !== '2.0') return invalid(id, invalidRequest(messages.wrongJsonrpc()));
  if (!('method' in value)) return decodeResponse(value, id);
  const { method } = value;
  if (typeof method !== 'string')
    return invalid(id, invalidRequest(messages.mustBe('method', 'a string', describeValue(method))));
  if (isTooLong(method, maxNameLength))
    return invalid(id, invalidRequest(messages.tooLong('method', maxNameLength, method.length)));
  if ('id' in value && id === null)
    return invalid(null, invalidRequest(messages.wrongId(describeValue(value['id']))));
  return decodeCall(value, id);
}

function decodeCall(value: Readonly<Record<string, unknown>>, id: RequestId | null): Decoded {
  const { params } = value;
  if (params !== undefined && params !== null && !isRecord(params)) {
    const details = messages.mustBe('params', 'an object', describeValue(params));
    const error = Array.isArray(params) ? invalidParams(details) : invalidRequest(details);
    return id === null ? { kind: 'ignored' } : invalid(id, error);
  }
  if (id !== null && isRecord(params) && isTooLong(params['uri'], maxUriLength))
    return invalid(id, invalidParams(messages.tooLong('uri', maxUriLength, params['uri'].length)));
  const message = params === null ? withoutParams(value) : value;
  return id === null
    ? { kind: 'notification', message: message as unknown as RpcNotification }
    : { kind: 'request', message: message as unknown as RpcRequest };
}

function withoutParams({ params: _params, ...rest }: Readonly<Record<string, unknown>>): object {
  return rest;
}

function decodeResponse(value: Readonly<Record<string, unknown>>, id: RequestId | null): Decoded {
  if (id === null || 'result' in value === 'error' in value)
    return invalid(id, invalidRequest(messages.methodMissing()));
  return { kind: 'response', message: value as unknown as RpcReply };
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

const unparsable: Decoded = invalid(null, {
  code: rpcCodes.parseError,
  message: 'Parse error',
  data: { details: messages.notJson() },
});

function invalid(id: RequestId | null, error: RpcError): Decoded {
  return { kind: 'invalid', reply: errorReply(id, error) };
}

/** The protocol revisions that `initialize` can open, in ascending order. */
export const legacyVersions: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

/** The only revision that allows batches. */
export const batchVersion = '2025-03-26';

/** The maximum number of messages in a batch. */
export const maxBatch = 100;

/** Revisions from this date on have no sessions: every request names its own revision. */
export const firstModernVersion = '2026-01-01';

/** The `_meta` key with the protocol revision of a request, since 2026-07-28. */
const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** The first revision whose streams begin with an empty event, so that clients can resume them from the start. */
export const firstPrimedVersion = '2025-11-25';

/** The phase of a connection: not yet initialized, a legacy session, or closing. */
export type Phase =
  | { readonly kind: 'new' }
  | { readonly kind: 'legacy'; readonly version: string; readonly canElicit: boolean }
  | { readonly kind: 'closing' };

type Route =
  | { readonly kind: 'refuse'; readonly error: RpcError }
  | { readonly kind: 'initialize'; readonly version: string }
  /** Answer at once with an empty result. */
  | { readonly kind: 'acknowledge' }
  | { readonly kind: 'shutdown' }
  /** Run with the tool runner, in the order received; only in legacy sessions. */
  | { readonly kind: 'tool' }
  /** Pass to the SDK, in the order received. */
  | { readonly kind: 'ordered' }
  /** Pass to the SDK at once, because the request names its own revision. */
  | { readonly kind: 'concurrent' };

/**
 * Decides how a request is handled in this phase. The caller keeps the phase.
 *
 * @see docs/decisions/0001-front-door.md
 */
export function route(request: RpcRequest, phase: Phase, toolNames: ReadonlySet<string>): Route {
  const { method } = request;
  if (phase.kind === 'closing') return refuse(rpcCodes.serverError, 'Server is shutting down');
  if (namesVersion(request)) return { kind: 'concurrent' };
  if (method === 'initialize') return initialize(request, phase);
  if (method === 'ping') return { kind: 'acknowledge' };
  if (phase.kind === 'new') return refuse(rpcCodes.serverError, 'Server not initialized');
  if (method === 'shutdown') return { kind: 'shutdown' };
  if (method === 'logging/setLevel') return setLogLevel(request);
  return { kind: isToolMethod(method, toolNames) ? 'tool' : 'ordered' };
}

/** The MCP methods for tools. Besides these, the name of each tool is a method. */
const toolMethods: ReadonlySet<string> = new Set(['tools/list', 'tools/call']);

function isToolMethod(method: string, toolNames: ReadonlySet<string>): boolean {
  return toolNames.has(method) || (toolNames.size > 0 && toolMethods.has(method));
}

const logLevels: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Accepts any valid log level, because the server sends clients no log messages. */
function setLogLevel({ params = {} }: RpcRequest): Route {
  if (logLevels.some((level) => level === params['level'])) return { kind: 'acknowledge' };
  return { kind: 'refuse', error: invalidParams(messages.wrongLogLevel(logLevels)) };
}

/** Returns whether a request names its own protocol revision, as it does since 2026-07-28. */
export function namesVersion({ params }: { readonly params?: Readonly<Record<string, unknown>> }): boolean {
  const meta = params?.['_meta'];
  return typeof meta === 'object' && meta !== null && versionKey in meta;
}

function initialize({ params = {} }: RpcRequest, phase: Phase): Route {
  if (phase.kind !== 'new') return { kind: 'refuse', error: invalidRequest(messages.alreadyInitialized()) };
  const details = initializeProblem(params);
  if (details !== undefined) return { kind: 'refuse', error: invalidParams(details) };
  const requestedVersion = params['protocolVersion'] as string;
  if (legacyVersions.includes(requestedVersion)) return { kind: 'initialize', version: requestedVersion };
  return refuse(rpcCodes.serverError, 'Unsupported protocol version', {
    supportedVersions: legacyVersions,
    requestedVersion,
  });
}

function initializeProblem(params: Readonly<Record<string, unknown>>): string | undefined {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (protocolVersion === undefined) return messages.fieldRequired('protocolVersion');
  if (typeof protocolVersion !== 'string') return messages.fieldMustBe('protocolVersion', 'a string');
  if (capabilities === undefined) return messages.fieldRequired('capabilities');
  if (!isRecord(capabilities)) return messages.fieldMustBe('capabilities', 'an object');
  if (clientInfo !== undefined && !isRecord(clientInfo))
    return messages.fieldMustBe('clientInfo', 'an object');
  return undefined;
}

function refuse(code: number, message: string, data?: unknown): Route {
  return { kind: 'refuse', error: { code, message, ...(data === undefined ? {} : { data }) } };
}
