import type { RateLimit } from './rate-limit.ts';

/** Bytes of a body that cost nothing beside its call, and how many more count as one call. */
const freeBytes = 64_000;
const bytesOfCall = 8_000;

/**
 * As how many calls a body of so many bytes counts beside the one it is: it keeps the server busy for about as long as they
 * do. With that one it is never more than may come at once, so that every body is taken after a pause.
 */
export function callsInBody(bytes: number, { burst }: RateLimit): number {
  return Math.min(Math.ceil(Math.max(0, bytes - freeBytes) / bytesOfCall), burst - 1);
}

/** The bytes that the body of a request is said to have; `undefined` where they are not said. */
export function bytesSaid({ headers, body }: Request): number | undefined {
  const length = headers.get('content-length');
  if (length !== null) return Number(length);
  return body === null ? 0 : undefined;
}
