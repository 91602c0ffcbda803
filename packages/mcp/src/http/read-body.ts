import { hasMoreValues } from '@workflowlookup/schema';

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
export const maxValues = 200_000;

/** Reads a body without ever holding more of it than the limit. */
export async function readBody(request: Request, limits: BodyLimits): Promise<Body> {
  const body = await readText(request, limits);
  return 'text' in body && hasMoreValues(body.text, maxValues) ? { problem: 'too-many-values' } : body;
}

async function readText(request: Request, limits: BodyLimits): Promise<Body> {
  const length = request.headers.get('content-length');
  if (Number(length ?? 0) > limits.maxBodyBytes) return { problem: 'too-large' };
  // A body whose length was said can't be longer, and is read at once, which takes half the time.
  return length === null
    ? readPieces(request, limits)
    : inTime(readWhole(request, limits.maxBodyBytes), limits.bodyTimeoutMs);
}

async function readWhole(request: Request, maxBytes: number): Promise<Body> {
  try {
    const text = await request.text();
    return text.length > maxBytes ? { problem: 'too-large' } : { text };
  } catch {
    // The sender went away in the middle of it.
    return { problem: 'broken' };
  }
}

async function readPieces(request: Request, { maxBodyBytes, bodyTimeoutMs }: BodyLimits): Promise<Body> {
  const reader = request.body?.getReader();
  if (reader === undefined) return { text: '' };
  const body = await inTime(collect(reader, maxBodyBytes), bodyTimeoutMs);
  // What is left of a refused body is nobody's any more, and whether its sender hears of that does not matter.
  if ('problem' in body) void reader.cancel().catch(() => undefined);
  return body;
}

function inTime(reading: Promise<Body>, timeoutMs: number): Promise<Body> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => resolve({ problem: 'too-slow' }), timeoutMs);
    void reading.finally(() => clearTimeout(deadline)).then(resolve);
  });
}

async function collect(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { text: Buffer.concat(chunks).toString('utf8') };
      bytes += value.byteLength;
      if (bytes > maxBytes) return { problem: 'too-large' };
      chunks.push(value);
    }
  } catch {
    // The sender went away in the middle of it.
    return { problem: 'broken' };
  }
}
