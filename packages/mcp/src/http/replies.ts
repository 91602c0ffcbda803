import type { RpcMessage, RpcReply } from '../json-rpc/rpc-messages.ts';
import { errorReply, rpcCodes } from '../json-rpc/rpc-messages.ts';

/** The types of response a client accepts. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

const streamType = 'text/event-stream';
const jsonType = 'application/json';

/** Reads the `Accept` header. A client without one accepts everything. */
export function acceptedTypes(request: Request): Accepted {
  const types = (request.headers.get('accept') ?? '*/*').split(',').map((part) => mediaType(part));
  const takes = (type: string, family: string): boolean =>
    types.some((one) => one === type || one === family || one === '*/*');
  return { json: takes(jsonType, 'application/*'), stream: takes(streamType, 'text/*') };
}

/** Returns whether the content type of a request is JSON. */
export function isJsonBody(request: Request): boolean {
  return mediaType(request.headers.get('content-type') ?? '') === jsonType;
}

function mediaType(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/**
 * The parts of a response. Headers are added to a plain object first, which takes a tenth of the time of adding them to
 * `Headers`.
 */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array> | null;
}

/** Creates the response, with additional headers. */
export function toResponse(reply: Reply | Response, more: Readonly<Record<string, string>> = {}): Response {
  if (!(reply instanceof Response)) {
    const { status, headers, body } = reply;
    return new Response(body, { status, headers: { ...headers, ...more } });
  }
  for (const [name, value] of Object.entries(more)) reply.headers.set(name, value);
  return reply;
}

export const acceptedReply: Reply = { status: 202, body: null };

/** Creates a response whose body is one message or several. */
export function jsonReply(
  message: RpcMessage | readonly RpcReply[],
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: { 'content-type': jsonType, 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(message),
  };
}

/** Creates a response whose body is an event stream. */
export function streamReply(body: ReadableStream<Uint8Array>): Reply {
  return {
    status: 200,
    // Without this header, nginx and other proxies buffer the stream.
    headers: {
      'content-type': streamType,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
    body,
  };
}

/** Creates an error response, with the id of the request if it is known. */
export function refusal(
  status: number,
  message: string,
  { code = rpcCodes.serverError, id = null, headers = {}, details }: RefusalParts = {},
): Reply {
  const data = details === undefined ? {} : { data: { details } };
  return jsonReply(errorReply(id, { code, message, ...data }), status, headers);
}

/** The optional parts of an error response. */
export interface RefusalParts {
  readonly code?: number;
  readonly id?: string | number | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: string;
}
