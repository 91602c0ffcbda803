export { createPauses, inTurns } from './utilities.ts';
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
export type { CheckedTrace, ExportOptions, ExportMark } from './sessions/export-session.ts';
export { checkedTrace, exportSession } from './sessions/export-session.ts';
export { importSession, keepExported, judgeExport, readExport } from './sessions/import-session.ts';
export type { KeptAs, ExportedSession } from './sessions/import-session.ts';
