// What a person can do with sessions: find them, read their journals, answer checkpoints, verify and export them.
export { createOperator } from './create-operator.ts';
export { timerEndOf } from './respond.ts';
export { insightsCsv } from '../insights/insights-csv.ts';
export type { WorkflowNames } from '../insights/insights-csv.ts';
export type {
  ActivityInsight,
  AgentInsight,
  AgentRefusalInsight,
  CountedAct,
  DayInsight,
  EvidenceInsight,
  HookInsight,
  Durations,
  Insights,
  InsightsQuery,
  LargeSession,
  OutcomeInsight,
  PersonInsight,
  RefusalInsight,
  ResultInsight,
  Traceable,
  WorkflowInsight,
} from '../insights/insights.ts';
export type { Freshness } from '../insights/session-index.ts';
export type { Outcome, CountedResult } from '../insights/session-figures.ts';
export type { SessionSurvey, Prunable } from './find-sessions.ts';
export type { ExportVerification, ExportCheck } from './import-session.ts';
export type { OperatorParts } from './load-session.ts';
export type {
  Operator,
  Question,
  SessionHistory,
  SessionEvidence,
  SessionHistoryMove,
  CheckpointWait,
  SessionSummary,
  SubmittedOutput,
  SessionContents,
  RecordedEvent,
  VariableChange,
  Participant,
  JournalCheck,
  HumanAnswer,
  OperatorParkRequest,
  WriteReceipt,
} from './create-operator.ts';
export { anchorLine } from './seal-session.ts';
export type { AnchoredHead, Anchors, SealRequest, Sealed } from './seal-session.ts';
export type { OptionOutcome, CheckpointSummary } from './respond.ts';
export type { OptionPath } from './option-path.ts';
export type { NotDoneStep, TakenCheckpoint } from '../session/session-state.ts';
export type { PlannedActivity, PlannedActivityStatus } from './session-history.ts';
export type { AskedEvidence, EvidenceList, EvidenceReport, ReportedResult } from './submit-evidence.ts';
export type { Task, TaskStep, TaskVariable, OutputDraft } from './task.ts';
export type { Verification, SessionProblem, ProblemCode } from './verify-session.ts';
export type { SessionCounts, SessionQuery, SessionRow } from '@workflowlookup/storage';
