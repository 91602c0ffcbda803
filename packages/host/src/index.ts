export { bundledDirectory } from './bundled/bundled-directory.ts';
export type {
  AuditAction,
  AuditContext,
  AuditEntry,
  AuditLog,
  AuditLogParts,
  AuditSink,
} from './audit/audit-log.ts';
export { createHost } from './create-host.ts';
export type { Host, HostOptions } from './create-host.ts';
export type { Draft, DraftFile, DraftReading, Drafts, KeptDraft, TextToSave } from './drafts/drafts.ts';
export { openInspection } from './open-inspection.ts';
export type {
  InspectedPlace,
  InspectedWorkflow,
  Inspection,
  InspectionOptions,
  PlaceReport,
} from './open-inspection.ts';
export type { SessionOptions } from './session-options.ts';
export { sourcesOf } from './sources.ts';
export type { Source, SourceOptions } from './sources.ts';
export type { KeyRingOptions } from './key-ring/key-ring-options.ts';
export { hasTokenKeys } from './key-ring/has-token-keys.ts';
export { loadKeyRing } from './key-ring/load-key-ring.ts';
export { rotateKey } from './key-ring/rotate-key.ts';
export { addressTokenOf, isAddressToken } from './address-token.ts';
export { newSignInSecret, readSignInSecret, signInLinkMs } from './sign-in-link.ts';
export type { SignInLink } from './sign-in-link.ts';
export { isScope, scopes, standingOf } from './api-keys/api-key.ts';
export type { ApiKey, ApiKeys, CheckedKey, NewApiKey, Scope } from './api-keys/api-key.ts';
export { unsealedRevocations } from './api-keys/revocations.ts';
export { openApiKeys } from './api-keys/open-api-keys.ts';
export type { AccessPlace } from './access-place.ts';
export type {
  CheckpointChanges,
  FileIssue,
  FoundCharacter,
  FoundCommand,
  Replaced,
  Review,
  ReviewedCheckpoint,
  Reviews,
} from './trust/review.ts';
export type { HostJobs, JobCounts } from './jobs/create-jobs.ts';
export type { NamedCommand } from './trust/commands-in.ts';
export type { DefinitionPlace, Trust, TrustDecision } from './trust/trust.ts';
export type { TrustedDefinition, TrustedFolder, TrustFile, TrustRecord } from './trust/trust-file.ts';
export { userName } from './user-name.ts';
export { openRevokedIds } from './revoked-ids.ts';
export type { RevokedIds } from './revoked-ids.ts';
