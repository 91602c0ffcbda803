import { describeValue, messages } from '../messages.ts';
import type { RequestId, RpcError, RpcNotification, RpcReply, RpcRequest } from './rpc-types.ts';
import { errorReply, invalidParams, invalidRequest, isRecord, rpcCodes } from './rpc-types.ts';

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
  if (Array.isArray(params)) {
    const details = messages.mustBe('params', 'an object', describeValue(params));
    return id === null ? { kind: 'ignored' } : invalid(id, invalidParams(details));
  }
  if (params !== undefined && params !== null && typeof params !== 'object') {
    const details = messages.mustBe('params', 'an object', describeValue(params));
    return id === null ? { kind: 'ignored' } : invalid(id, invalidRequest(details));
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
