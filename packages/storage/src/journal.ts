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
export type {
  CheckedTrace,
  ExportOptions,
  ExportMark,
  KeptAs,
  ExportedSession,
} from './sessions/exported-session.ts';
export {
  checkedTrace,
  exportSession,
  importSession,
  keepExported,
  judgeExport,
  readExport,
} from './sessions/exported-session.ts';
