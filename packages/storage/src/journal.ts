export { createPauses, inTurns } from './pauses.ts';
export {
  auditSession,
  emptyJournal,
  sealEvents,
  verifyChain,
  isVouchedDefinition,
  sessionDefinition,
  assertAuthentic,
  assertWritable,
  isUnvouched,
  notWritable,
} from './sessions/hash-chain.ts';
export type { SessionAudit, EventDraft, ChainVerdict, SessionDefinition } from './sessions/hash-chain.ts';
export * from './sessions/exported-session.ts';
