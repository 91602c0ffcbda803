// Sessions as a server serves them, with tokens and an identity for each caller. A program that embeds sessions uses `createWorkflows`.
export { checkOptions, definedSource, workflowsOver } from '../embed/create-workflows.ts';
export type { WorkflowsParts } from '../embed/create-workflows.ts';
export type {
  CommandOutput,
  EvidenceAnswer,
  EvidenceBaseline,
  EvidenceCollector,
  EvidenceOutcome,
  EvidenceProgress,
  EvidenceRequest,
  EvidenceResult,
  TestCounts,
  StatedCheck,
  StatementReader,
} from '../evidence/collector.ts';
export type { TextPart } from '../library/texts.ts';
export type { Effect } from '@workflowlookup/schema';
export type { Remedy } from './refusals.ts';
export { createSessions, createSessionsOf } from './create-sessions.ts';
export type {
  CallKind,
  SessionParts,
  SessionPolicy,
  SessionStorage,
  Caller,
  WrittenEvent,
  Sessions,
  Answered,
  OpenSessionEntry,
  Presented,
  Reply,
  Discovery,
  WorkflowList,
  Health,
  StartRequest,
  Started,
  Arrival,
  ReadingOptions,
  Resumed,
  WorkflowReading,
  ActivityReading,
  MoveRequest,
  Moved,
  ReportedStep,
  Yielded,
  Parked,
  AnswerRequest,
  ResourceReading,
  Wait,
} from './sessions.ts';
export { markedCheckpoint } from './present.ts';
export type { QuestionParts, ShownValue } from './present.ts';
export type { ReadText } from './trace.ts';
export type { TraceEvent, TraceReading, TracedKind } from './trace.ts';
export type { CollectRequest, Collected, CollectedEvidence } from '../evidence/collect-evidence.ts';
export type { EvidenceState, EvidenceStatus } from '../evidence/evidence-state.ts';
export type { AnswerMode, ActivityClaim, ParkRequest } from '../session/command.ts';
export type { DecisionPolicy } from '../session/decide.ts';
export type {
  Answer,
  AnswerOrigin,
  ManifestEntry,
  ParentLink,
  SessionEvent,
  RunningLoop,
  SealedPolicy,
  DecidedQuestion,
  SetBy,
  Assurance,
  VariableOwner,
  AnsweredItem,
  LeavingEvent,
} from '../session/session-event.ts';
export type { Decider } from '../session/open-checkpoints.ts';
export type {
  AnsweredCheckpoint,
  GivenAnswer,
  ParkedSession,
  RecordedEvidence,
  PersonNote,
  Values,
} from '../session/session-state.ts';
export type { ChildLink, SessionStatus, Omitted } from '../session/status.ts';
