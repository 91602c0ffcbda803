import { hasMoreValues } from '@workflowlookup/schema';
import type { Turns } from '../turns.ts';

/** How much of a body is taken, and how long it may be on its way. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/** A body as text, or why there is none. */
export type Body =
  | { readonly text: string }
  | { readonly problem: 'too-large' | 'too-many-values' | 'too-slow' | 'broken' };

/** Values a body may hold: beyond that, parsing it would keep everybody waiting. */
export const maxValues = 50_000;

/** Bytes of a body that takes some milliseconds to read, to parse and to answer. */
export const largeBody = 250_000;

/** Reads a body without ever holding more of it than the limit. A large one is read in a turn of its own. */
export async function readBody(request: Request, limits: BodyLimits, turn: Turns): Promise<Body> {
  const body = await readBytes(request, limits);
  if ('problem' in body) return body;
  if (!('text' in body) && body.bytes.byteLength > largeBody) await turn();
  const text = 'text' in body ? body.text : body.bytes.toString('utf8');
  return hasMoreValues(text, maxValues) ? { problem: 'too-many-values' } : { text };
}

/** A body as it came. */
type Bytes = Body | { readonly bytes: Buffer };

async function readBytes(request: Request, limits: BodyLimits): Promise<Bytes> {
  const length = request.headers.get('content-length');
  if (Number(length ?? 0) > limits.maxBodyBytes) return { problem: 'too-large' };
  // A body whose length was said can't be longer, and is read at once, which takes half the time.
  return length === null
    ? readPieces(request, limits)
    : inTime(readWhole(request, Number(length), limits.maxBodyBytes), limits.bodyTimeoutMs);
}

async function readWhole(request: Request, length: number, maxBytes: number): Promise<Bytes> {
  try {
    if (length > largeBody) return { bytes: Buffer.from(await request.arrayBuffer()) };
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
  const body = await inTime(collect(reader, maxBodyBytes), bodyTimeoutMs);
  // What is left of a refused body is nobody's any more, and whether its sender hears of that does not matter.
  if ('problem' in body) void reader.cancel().catch(() => undefined);
  return body;
}

function inTime(reading: Promise<Bytes>, timeoutMs: number): Promise<Bytes> {
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
