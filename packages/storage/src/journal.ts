export { exportSession } from './sessions/export-session.ts';
export { importSession } from './sessions/import-session.ts';
export { readExport } from './sessions/read-export.ts';
export type { ExportedSession } from './sessions/read-export.ts';
export { emptyJournal, hashEvent, sealEvents } from './sessions/seal-events.ts';
export type { EventDraft } from './sessions/seal-events.ts';
export { verifyChain } from './sessions/verify-chain.ts';
export type { ChainVerdict } from './sessions/verify-chain.ts';
