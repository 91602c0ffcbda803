import type { RequestId, RpcError, RpcNotification, RpcReply, RpcRequest } from './json-rpc.ts';
import { errorReply, isRecord, rpcCodes } from './json-rpc.ts';

/** Levels of nesting a message may have; more would overflow whatever walks it. */
const maxNesting = 256;

/** Characters of an id or a method, which replies repeat. */
const maxNameLength = 256;

/** Characters of the URI of a resource, which is matched against patterns. */
const maxUriLength = 8192;

/** What one message turned out to be; `invalid` carries the reply it is owed. */
export type Decoded =
  | { readonly kind: 'request'; readonly message: RpcRequest }
  | { readonly kind: 'notification'; readonly message: RpcNotification }
  | { readonly kind: 'response'; readonly message: RpcReply }
  | { readonly kind: 'invalid'; readonly reply: RpcReply }
  | { readonly kind: 'ignored' };

/** What one text turned out to be: a message, several, or nothing where it is blank. */
export type DecodedText = Decoded | { readonly kind: 'batch'; readonly entries: readonly Decoded[] };

/**
 * Reads one text off the wire. Pure: what a message may do now is the lifecycle's affair.
 *
 * @see docs/decisions/0001-front-door.md
 */
export function decode(text: string): DecodedText {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (body.trim() === '') return { kind: 'ignored' };
  const parsed = parse(body);
  if (parsed === undefined) return unparsable;
  // A level takes two characters, one to open it and one to close it.
  if (body.length > 2 * maxNesting && isDeeper(parsed.value, maxNesting)) {
    return invalidRequest(
      idOfRequest(parsed.value),
      `A message may be nested at most ${maxNesting} levels deep`,
    );
  }
  if (!Array.isArray(parsed.value)) return decodeMessage(parsed.value);
  if (parsed.value.length === 0) return invalidRequest(null, 'A batch holds at least one message');
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
  // A list of the values of a large object would take longer than looking at them.
  for (const name in value)
    if (isDeeper((value as Readonly<Record<string, unknown>>)[name], levels - 1)) return true;
  return false;
}

/** The id of what would be a request. A response is answered under no id: a request of the client could have the same. */
function idOfRequest(value: unknown): RequestId | null {
  if (!isRecord(value) || !('method' in value)) return null;
  const { id } = value;
  return isRequestId(id) && !isTooLong(id, maxNameLength) ? id : null;
}

function isTooLong(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length > maxLength;
}

function decodeMessage(value: unknown): Decoded {
  if (!isRecord(value)) return invalidRequest(null, 'A message is a JSON object');
  if (isTooLong(value['id'], maxNameLength))
    return invalidRequest(null, tooLong('id', maxNameLength, value['id']));
  const id = isRequestId(value['id']) ? value['id'] : null;
  if (value['jsonrpc'] !== '2.0') return invalidRequest(id, "'jsonrpc' must be '2.0'");
  if (!('method' in value)) return decodeResponse(value, id);
  if (typeof value['method'] !== 'string') return invalidRequest(id, "'method' must be a string");
  if (isTooLong(value['method'], maxNameLength))
    return invalidRequest(id, tooLong('method', maxNameLength, value['method']));
  if ('id' in value && id === null) return invalidRequest(null, "'id' must be a string or a number");
  return decodeCall(value, id);
}

function decodeCall(value: Readonly<Record<string, unknown>>, id: RequestId | null): Decoded {
  const { params } = value;
  if (Array.isArray(params)) {
    return id === null ? { kind: 'ignored' } : invalidParams(id, 'params must be an object, found an array');
  }
  if (params !== undefined && params !== null && typeof params !== 'object') {
    return id === null
      ? { kind: 'ignored' }
      : invalidRequest(id, `'params' must be an object, found a ${typeof params}`);
  }
  if (id !== null && isRecord(params) && isTooLong(params['uri'], maxUriLength))
    return invalidParams(id, tooLong('uri', maxUriLength, params['uri']));
  const message = params === null ? withoutParams(value) : value;
  return id === null
    ? { kind: 'notification', message: message as unknown as RpcNotification }
    : { kind: 'request', message: message as unknown as RpcRequest };
}

function withoutParams({ params: _params, ...rest }: Readonly<Record<string, unknown>>): object {
  return rest;
}

function decodeResponse(value: Readonly<Record<string, unknown>>, id: RequestId | null): Decoded {
  if (id === null || 'result' in value === 'error' in value) return invalidRequest(id, "'method' is missing");
  return { kind: 'response', message: value as unknown as RpcReply };
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

const unparsable: Decoded = invalid(null, {
  code: rpcCodes.parseError,
  message: 'Parse error',
  data: { details: 'The text is not valid JSON' },
});

function tooLong(field: string, maxLength: number, { length }: string): string {
  return `'${field}' must be at most ${maxLength} characters long, found a text of ${length} characters`;
}

function invalidParams(id: RequestId, details: string): Decoded {
  return invalid(id, { code: rpcCodes.invalidParams, message: 'Invalid params', data: { details } });
}

function invalidRequest(id: RequestId | null, details: string): Decoded {
  return invalid(id, { code: rpcCodes.invalidRequest, message: 'Invalid Request', data: { details } });
}

function invalid(id: RequestId | null, error: RpcError): Decoded {
  return { kind: 'invalid', reply: errorReply(id, error) };
}
