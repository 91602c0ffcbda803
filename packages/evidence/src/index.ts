export {
  checksText,
  checksFile,
  checksPathOf,
  digestOfChecks,
  namesIn,
  readProjectChecks,
  proposeChecks,
} from './checks/project-checks.ts';
export type { ProjectChecks, ProposedCheck } from './checks/project-checks.ts';
export { commandText, judgeRun, runCheck } from './checks/run-check.ts';
export type { CheckDemands, CheckFindings, CheckRun, TestsBefore } from './checks/run-check.ts';
export { createCollector, placesOf } from './collector.ts';
export type { ChecksTrust, CollectorOptions, LocalCollector, TrustedChecks } from './collector.ts';
export type { ReportedResults } from './reports/reports.ts';
export type { CommandResult, RunningCommand } from './checks/run-command.ts';
export { attestCheck, createStatementReader } from './statements/check-statement.ts';
export type { Attestation, AttestRequest } from './statements/check-statement.ts';
export { readSigningKey, readTrustedKey } from './statements/envelope.ts';
export type { Envelope, TrustedKey } from './statements/envelope.ts';
export { openSessionStatement, readStatementFile, signSession } from './statements/session-statement.ts';
export type {
  OpenedSessionStatement,
  SessionStatement,
  SessionToState,
  StatedDecision,
  StatedEvidence,
} from './statements/session-statement.ts';
