import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { WorkflowError } from '@workflowlookup/schema';
import { decodeBase64url, encodeBase64url, shortestSignatureBytes, sign, verify } from './key-ring.ts';
import type { KeyRing } from './key-ring.ts';
import { isSessionId } from './session-id.ts';
import { isBelow, revisionLimit } from './token-codec.ts';

/** A segment of the trace of a session. */
export interface TraceSegment {
  readonly sid: string;
  /** Number of its first event; below 2^32. */
  readonly from: number;
  /** Number of its last event; below 2^32. */
  readonly to: number;
}

const prefix = 'wlt_';
const rangeBytes = 8;
const tokenBytes = rangeBytes + shortestSignatureBytes;
const purpose = utf8ToBytes('trace-token:');

/**
 * Returns the token of a segment, 36 characters: `wlt_` and base64url of both numbers and 16 bytes of HMAC-SHA256 over
 * the session id and them. The session id itself is not in it.
 *
 * @throws INTERNAL for numbers a token can't hold
 */
export function sealTraceToken(ring: KeyRing, segment: TraceSegment): string {
  const { sid, from, to } = segment;
  if (!isSessionId(sid) || !isBelow(revisionLimit, from) || !isBelow(revisionLimit, to)) {
    throw new WorkflowError('INTERNAL', `No token can name the events ${from} to ${to} of session '${sid}'.`);
  }
  const range = new Uint8Array(rangeBytes);
  const numbers = new DataView(range.buffer);
  numbers.setUint32(0, from);
  numbers.setUint32(4, to);
  const signature = sign(ring, messageOf(sid, range)).subarray(0, shortestSignatureBytes);
  return prefix + encodeBase64url(concatBytes(range, signature));
}

/** Returns the segment that a token names, or `undefined` if it is not a trace token of this session. */
export function openTraceToken(ring: KeyRing, token: string, sid: string): TraceSegment | undefined {
  const bytes = token.startsWith(prefix) ? decodeBase64url(token.slice(prefix.length)) : undefined;
  if (bytes?.length !== tokenBytes || !isSessionId(sid)) return undefined;
  const range = bytes.subarray(0, rangeBytes);
  if (!verify(ring, messageOf(sid, range), bytes.subarray(rangeBytes))) return undefined;
  const numbers = new DataView(range.buffer, range.byteOffset, rangeBytes);
  return { sid, from: numbers.getUint32(0), to: numbers.getUint32(4) };
}

function messageOf(sid: string, range: Uint8Array): Uint8Array {
  return concatBytes(purpose, hexToBytes(sid), range);
}
