import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasMoreValues } from '@workflowlookup/schema';
import type { RpcMessage, RpcReply } from '../json-rpc/rpc-messages.ts';
import { errorReply, rpcCodes } from '../json-rpc/rpc-messages.ts';

/** The limits of a request body. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/** The text of a body, or the reason why it could not be read. */
export type Body =
  | { readonly text: string }
  | { readonly problem: 'too-large' | 'too-many-values' | 'too-slow' | 'broken' };

/** The maximum number of JSON values in a body. Parsing more would keep other clients waiting. */
export const maxValues = 20_000;

/** The size from which a body takes some milliseconds to handle, so that other requests are served in between. */
export const largeBodyBytes = 100_000;

/** Waits for the next turn of the event loop, after all others that already wait for one. */
type Turns = () => Promise<void>;

/** Creates turns for long work that is split into parts, so that other requests are served in between. */
export function createTurns(): Turns {
  let last = Promise.resolve();
  return () => (last = last.then(() => nextTurn()));
}

/**
 * Reads a body without keeping more of it in memory than the limit. A large one is decoded and counted in turns of their
 * own.
 */
export async function readBody(request: Request, limits: BodyLimits, turn: Turns): Promise<Body> {
  const body = await readBytes(request, limits);
  if ('problem' in body) return body;
  const isLarge = body.bytes.byteLength > largeBodyBytes;
  if (isLarge) await turn();
  const text = body.bytes.toString('utf8');
  if (isLarge) await turn();
  return hasMoreValues(text, maxValues) ? { problem: 'too-many-values' } : { text };
}

type Bytes = Exclude<Body, { readonly text: string }> | { readonly bytes: Buffer };

async function readBytes(request: Request, { maxBodyBytes, bodyTimeoutMs }: BodyLimits): Promise<Bytes> {
  const length = request.headers.get('content-length');
  if (Number(length ?? 0) > maxBodyBytes) return { problem: 'too-large' };
  // HTTP guarantees the declared length, so such a body is read in one piece, which takes half the time.
  const reader = length === null ? request.body?.getReader() : undefined;
  const reading =
    reader === undefined
      ? request.arrayBuffer().then((bytes) => Buffer.from(bytes))
      : collect(reader, maxBodyBytes);
  const read = await withTimeout(reading, bodyTimeoutMs);
  const isTooLarge = 'bytes' in read && read.bytes.byteLength > maxBodyBytes;
  const body: Bytes = isTooLarge ? { problem: 'too-large' } : read;
  // The rest of a refused body is not needed, and it does not matter if cancelling it fails.
  if ('problem' in body) void reader?.cancel().catch(() => undefined);
  return body;
}

function withTimeout(reading: Promise<Buffer>, timeoutMs: number): Promise<Bytes> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => resolve({ problem: 'too-slow' }), timeoutMs);
    void reading
      .then(
        (bytes) => resolve({ bytes }),
        // The sender went away in the middle of it.
        () => resolve({ problem: 'broken' }),
      )
      .finally(() => clearTimeout(deadline));
  });
}

/** Returns the bytes of a body, or the first of them if there are more than the limit. */
async function collect(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= maxBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

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
interface RefusalParts {
  readonly code?: number;
  readonly id?: string | number | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: string;
}
