export { bundledDirectory } from './bundled.ts';
export { sourcesOf } from './sources/sources.ts';
export type { AuditAction, AuditContext, AuditEntry, AuditLog, AuditLogParts, AuditSink } from './audit.ts';
export { createHost, createWorkflows } from './create-host.ts';
export type { Host, HostOptions } from './create-host.ts';
export type {
  DefinitionCopy,
  Draft,
  DraftContent,
  DraftFile,
  Drafts,
  KeptDraft,
  TextToSave,
} from './sources/drafts.ts';
export type { SavedVersion } from './sources/saved-versions.ts';
export * from './sources/inspection.ts';
export type { SessionOptions, TrustedKeyFile } from './options.ts';
export type { Source, SourceOptions } from './sources/sources.ts';
export type { KeyRingOptions, SignInLink } from './access/token-keys.ts';
export {
  hasTokenKeys,
  loadKeyRing,
  rotateKey,
  addressTokenOf,
  isAddressToken,
  newSignInSecret,
  readSignInSecret,
  signInLinkMs,
} from './access/token-keys.ts';
export { isScope, scopes, apiKeyStatus, openApiKeys, unsealedRevocations } from './access/api-keys.ts';
export type { ApiKey, ApiKeys, CheckedKey, NewApiKey, Scope } from './access/api-keys.ts';
export type { AccessDatabase } from './lazy-storage.ts';
export type {
  CheckpointChanges,
  FileIssue,
  FoundCharacter,
  FoundCommand,
  Replaced,
  Review,
  ReviewedCheckpoint,
  Reviews,
  NamedCommand,
} from './trust/review.ts';
export type { ChecksOfProject, ChecksReview, ChecksReviews, ChecksTrustState } from './trust/review.ts';
export type { HostJobs, JobCounts } from './jobs/create-jobs.ts';
export type {
  DraftFiles,
  HostJobTypes,
  JobAnswer,
  JobAsk,
  JobContext,
  JobKind,
  Judgement,
  ReadDraft,
  DryRunRequest,
  CriteriaTrial,
  WorkflowTrial,
} from './jobs/run-job.ts';
export type { DefinitionLocation, Trust, TrustDecision } from './trust/trust.ts';
export type {
  TrustOfChecks,
  AcceptedTests,
  TrustedChecksFile,
  TrustedDefinition,
  TrustedFolder,
  TrustFile,
  TrustRecord,
} from './trust/trust-file.ts';
export { userName } from './options.ts';
