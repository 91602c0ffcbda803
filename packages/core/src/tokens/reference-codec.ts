import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeBase64url, encodeBase64url } from './base64url.ts';
import type { KeyRing } from './key-ring.ts';
import { shortestSignatureBytes, sign, verify } from './key-ring.ts';
import { sessionIdBytes } from './session-id.ts';
import type { OpenedToken, TokenCodec } from './token-codec.ts';
import type { TokenPosition } from './token-position.ts';
import { assertPosition } from './token-position.ts';

const prefix = 'wl_';
const positionBytes = sessionIdBytes + 4 + 3;
const tokenBytes = positionBytes + shortestSignatureBytes;
// What is signed begins with its purpose, so that no other token under the same key can stand in for this one.
const purpose = utf8ToBytes('session-token:');

/**
 * Short tokens that name a state which the store holds: 47 characters, `wl_` and base64url of the session id (10 bytes),
 * the revision (4), the agent number (3), both big-endian, and 16 bytes of HMAC-SHA256. Those 128 bits put a forgery
 * at 2^128 tries, and 33 bytes fill 44 characters to the last bit. The payload stays out.
 */
export function createReferenceCodec(ring: KeyRing): TokenCodec {
  return {
    seal(claims) {
      assertPosition(claims);
      const position = writePosition(claims);
      const signature = sign(ring, concatBytes(purpose, position)).subarray(0, shortestSignatureBytes);
      return prefix + encodeBase64url(concatBytes(position, signature));
    },
    open: (token) => openReference(ring, token),
  };
}

function openReference(ring: KeyRing, token: string): OpenedToken {
  const bytes = token.startsWith(prefix) ? decodeBase64url(token.slice(prefix.length)) : undefined;
  if (bytes?.length !== tokenBytes) return { kind: 'garbage' };
  const position = bytes.subarray(0, positionBytes);
  const claims = readPosition(position);
  return verify(ring, concatBytes(purpose, position), bytes.subarray(positionBytes))
    ? { kind: 'genuine', claims }
    : { kind: 'unsigned', sid: claims.sid };
}

function writePosition({ sid, revision, agent }: TokenPosition): Uint8Array {
  const numbers = new DataView(new ArrayBuffer(8));
  numbers.setUint32(0, revision);
  numbers.setUint32(4, agent << 8);
  return concatBytes(hexToBytes(sid), new Uint8Array(numbers.buffer, 0, positionBytes - sessionIdBytes));
}

function readPosition(bytes: Uint8Array): TokenPosition {
  const numbers = new DataView(new ArrayBuffer(8));
  new Uint8Array(numbers.buffer).set(bytes.subarray(sessionIdBytes));
  return {
    sid: bytesToHex(bytes.subarray(0, sessionIdBytes)),
    revision: numbers.getUint32(0),
    agent: numbers.getUint32(4) >>> 8,
  };
}
