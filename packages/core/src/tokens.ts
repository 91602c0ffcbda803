// Ids and tokens of sessions, and the keys that seal them.
export type {
  Key,
  KeyRing,
  RandomBytes,
  TokenCodec,
  TokenClaims,
  OpenedToken,
  TokenPosition,
  TokenPayload,
} from './session-engine/session-tokens.ts';
export {
  isSessionId,
  newSessionId,
  createReferenceCodec,
  createSelfContainedCodec,
  createCombinedCodec,
} from './session-engine/session-tokens.ts';
