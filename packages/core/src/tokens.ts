// Ids and tokens of sessions, and the keys that seal them.
export type { Key, KeyRing } from './tokens/key-ring.ts';
export { isSessionId, newSessionId } from './tokens/session-id.ts';
export type { RandomBytes } from './tokens/session-id.ts';
export { createReferenceCodec, createSelfContainedCodec, createCombinedCodec } from './tokens/token-codec.ts';
export type {
  TokenCodec,
  TokenClaims,
  OpenedToken,
  TokenPosition,
  TokenPayload,
} from './tokens/token-codec.ts';
