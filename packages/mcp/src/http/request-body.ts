import { hasMoreValues } from '@workflowlookup/schema';
import type { Turns } from '../concurrency.ts';

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
export const largeBodyBytes = 250_000;

/** Reads a body without keeping more of it in memory than the limit. A large one is decoded in a turn of its own. */
export async function readBody(request: Request, limits: BodyLimits, turn: Turns): Promise<Body> {
  const body = await readBytes(request, limits);
  if ('problem' in body) return body;
  if (!('text' in body) && body.bytes.byteLength > largeBodyBytes) await turn();
  const text = 'text' in body ? body.text : body.bytes.toString('utf8');
  return hasMoreValues(text, maxValues) ? { problem: 'too-many-values' } : { text };
}

type Bytes = Body | { readonly bytes: Buffer };

async function readBytes(request: Request, limits: BodyLimits): Promise<Bytes> {
  const length = request.headers.get('content-length');
  if (Number(length ?? 0) > limits.maxBodyBytes) return { problem: 'too-large' };
  // HTTP guarantees the declared length, so such a body is read in one piece, which takes half the time.
  return length === null
    ? readPieces(request, limits)
    : withTimeout(readWhole(request, Number(length), limits.maxBodyBytes), limits.bodyTimeoutMs);
}

async function readWhole(request: Request, length: number, maxBytes: number): Promise<Bytes> {
  try {
    if (length > largeBodyBytes) return { bytes: Buffer.from(await request.arrayBuffer()) };
    const text = await request.text();
    return text.length > maxBytes ? { problem: 'too-large' } : { text };
  } catch {
    // The sender went away in the middle of it.
    return { problem: 'broken' };
  }
}

async function readPieces(request: Request, { maxBodyBytes, bodyTimeoutMs }: BodyLimits): Promise<Bytes> {
  const reader = request.body?.getReader();
  if (reader === undefined) return { text: '' };
  const body = await withTimeout(collect(reader, maxBodyBytes), bodyTimeoutMs);
  // The rest of a refused body is not needed, and it does not matter if cancelling it fails.
  if ('problem' in body) void reader.cancel().catch(() => undefined);
  return body;
}

function withTimeout(reading: Promise<Bytes>, timeoutMs: number): Promise<Bytes> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => resolve({ problem: 'too-slow' }), timeoutMs);
    void reading.finally(() => clearTimeout(deadline)).then(resolve);
  });
}

async function collect(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<Bytes> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { bytes: Buffer.concat(chunks) };
      bytes += value.byteLength;
      if (bytes > maxBytes) return { problem: 'too-large' };
      chunks.push(value);
    }
  } catch {
    // The sender went away in the middle of it.
    return { problem: 'broken' };
  }
}
