// Ids and tokens of sessions, and the keys that seal them.
export type {
  Key,
  KeyRing,
  RandomBytes,
  Signer,
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
  createSigner,
} from './session-engine/session-tokens.ts';
