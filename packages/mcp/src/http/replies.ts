import type { RpcMessage, RpcReply } from '../front-door/json-rpc.ts';
import { errorReply, rpcCodes } from '../front-door/json-rpc.ts';

/** What a client said it can read. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

const streamType = 'text/event-stream';
const jsonType = 'application/json';

/** Reads `Accept`; a client that says nothing takes everything. */
export function acceptedBy(request: Request): Accepted {
  const types = (request.headers.get('accept') ?? '*/*').split(',').map((part) => essenceOf(part));
  const takes = (type: string, family: string): boolean =>
    types.some((one) => one === type || one === family || one === '*/*');
  return { json: takes(jsonType, 'application/*'), stream: takes(streamType, 'text/*') };
}

/** Whether a body is said to be JSON. */
export function isJsonBody(request: Request): boolean {
  return essenceOf(request.headers.get('content-type') ?? '') === jsonType;
}

function essenceOf(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** A message, or several, as the whole of a response. */
export function jsonResponse(
  message: RpcMessage | readonly RpcReply[],
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(message), {
    status,
    headers: { 'content-type': jsonType, 'cache-control': 'no-store', ...headers },
  });
}

/** A stream of server-sent events as a response. */
export function streamResponse(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, {
    status: 200,
    // Proxies hold streams back unless they are told not to.
    headers: {
      'content-type': streamType,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

/** A refusal that answers no request in particular, or the one with that id. */
export function refusal(
  status: number,
  message: string,
  { code = rpcCodes.serverError, id = null, headers = {}, details }: RefusalParts = {},
): Response {
  const data = details === undefined ? {} : { data: { details } };
  return jsonResponse(errorReply(id, { code, message, ...data }), status, headers);
}

/** What a refusal may carry beside its text. */
export interface RefusalParts {
  readonly code?: number;
  readonly id?: string | number | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: string;
}
