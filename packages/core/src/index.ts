export { createWorkflows, definedSource, workflowsOver } from './embed/create-workflows.ts';
export type { Workflows, WorkflowsOptions, WorkflowsParts } from './embed/create-workflows.ts';
export { defineWorkflow } from './embed/define-workflow.ts';
export type {
  ActivityIdOf,
  ActivityInput,
  ActivityStepIds,
  ActivityWorkflowInput,
  CheckpointIdOf,
  DefinedWorkflow,
  OutputId,
  PromptIdOf,
  PromptIds,
  StepIdOf,
  StepWorkflowInput,
} from './embed/define-workflow.ts';
export type {
  AnsweredBy,
  CurrentActivity,
  CurrentStep,
  Refused,
  SessionResult,
  Submission,
  WaitingCheckpoint,
  WorkflowSession,
} from './embed/workflow-session.ts';

export type { ListQuery, Page, Engine, EngineOptions, Listing, ValidateRequest } from './engine.ts';
export { compileWorkflow } from './steps/compile-workflow.ts';
export type { CompiledWorkflow, LoopNode, Node, Standing, StepNode } from './steps/compile-workflow.ts';
export type { DefinitionVerdict } from './read-definition.ts';
export { createEngine } from './engine.ts';
export type { Guidance, StepView } from './lookup/guidance.ts';
export type { NextReply, NextRequest, Metadata, Preview } from './lookup/lookup.ts';
export type { BadBound } from './steps/loop-rounds.ts';
export { nextStep } from './steps/next-step.ts';
export type {
  LoopPosition,
  LoopStuck,
  NextStep,
  NothingLeft,
  StepFound,
  UndecidedStep,
} from './steps/next-step.ts';
export { jobsHere, runJob } from './jobs.ts';
export type { JobContext, Jobs, JobTools, JobTypes, JudgeOptions } from './jobs.ts';
export { readProgress } from './steps/progress.ts';
export type { Progress } from './steps/progress.ts';
export { readDefinition, readWorkflowFolder, wholeDefinition } from './read-definition.ts';
export type {
  DefinitionProblem,
  UntrustedDefinition,
  WorkflowChange,
  SessionCounts,
  SessionQuery,
  SessionRow,
} from '@workflowlookup/storage';

export { artifactPaths, fillVariables } from './library/fill-variables.ts';
export type { ArtifactPath, TextPart } from './library/fill-variables.ts';
export {
  coreOperations,
  defaultOperations,
  bundleText,
  orchestratorBundle,
  unchangedLine,
  workerBundle,
  resolveOperations,
} from './library/operations.ts';
export type { Role, BundleEntry, OperationBundle, ResolvedElement } from './library/operations.ts';
export {
  describeProblem,
  findResource,
  searchOrder,
  sharedWorkflowId,
  namedByOperations,
  namedByResource,
  neededWorkflows,
} from './library/library.ts';
export {
  findSkill,
  searchSkills,
  primarySkill,
  skillForActivity,
  skillForStep,
  skillForWorkflow,
} from './library/skills.ts';
export type { FoundSkill, SkillSearch, ActivityPlace } from './library/skills.ts';
export type { Library, Scope } from './library/library.ts';
export {
  checkpointText,
  presentCheckpoint,
  activityText,
  definitionText,
  joinSections,
  resourceText,
  skillAnswer,
  skillsAnswer,
  skillText,
  summaryText,
  toToon,
  workflowSummary,
} from './library/texts.ts';
export type { ActivityExtras, Header, ActivityStub, ActivityWorkflowSummary } from './library/texts.ts';

export type {
  ActivityClaim,
  AnswerMode,
  Circumstances,
  SessionCommand,
  Decision,
  Refusal,
  DecisionPolicy,
} from './session/command.ts';
export { decide, parentLink, startSession } from './session/decide.ts';
export { driftOf } from './session/session-state.ts';
export { begin, evolve } from './session/evolve.ts';
export type { SessionEventOf, TimedEvent } from './session/evolve.ts';
export { graphNavigator } from './navigation/graph-navigator.ts';
export type { Judge } from './session/manifest.ts';
export type {
  Ahead,
  Assignment,
  DeclaredVariable,
  Effect,
  Gate,
  GateOption,
  GatePolicy,
  Mode,
  Move,
  MoveOrigin,
  Navigator,
  OpenLoop,
  Place,
  PlannedLoop,
  PlannedStep,
  Stray,
  Whereabouts,
} from './navigation/navigator.ts';
export { nextCalls, shortenStatus, statusOf } from './session/status.ts';
export type { NextCall, ChildLink, Omitted, SessionStatus } from './session/status.ts';
export { sequenceNavigator } from './navigation/sequence-navigator.ts';
export type {
  Answer,
  AnsweredItem,
  AnswerOrigin,
  Assurance,
  DecidedQuestion,
  ManifestEntry,
  ParentLink,
  RunningLoop,
  SealedPolicy,
  SessionEvent,
  SetBy,
  VariableOwner,
} from './session/session-event.ts';
export type {
  AnsweredGate,
  AskedGate,
  DecidedGate,
  FrozenQuestion,
  GateSkip,
  OpenGate,
  OwnedVariable,
  SessionState,
  VariableOrigin,
} from './session/session-state.ts';
export { refuseResume } from './session/command.ts';
export type { SessionStart } from './session/decide.ts';
export type { Values } from './session/variables.ts';
export { whereabouts } from './session/prospect.ts';
export type { WhereaboutsOptions } from './session/prospect.ts';

export type {
  Caller,
  SessionParts,
  SessionPolicy,
  SessionVault,
  WrittenEvent,
} from './session-engine/parts.ts';
export type {
  ActivityReading,
  AnswerRequest,
  Answered,
  Discovery,
  Health,
  MoveRequest,
  Moved,
  OpenSessionEntry,
  Presented,
  Reply,
  ResourceReading,
  Sessions,
  StartRequest,
  Started,
  WorkflowList,
  WorkflowReading,
  Yielded,
} from './session-engine/sessions.ts';
export type { CallKind } from './session-engine/call-session.ts';
export { markedCheckpoint } from './session-engine/present.ts';
export type { QuestionParts, ShownValue } from './session-engine/present.ts';
export { createSessions, createSessionsOf } from './session-engine/create-sessions.ts';
export type { TraceEvent, TracedKind, TraceReading } from './session-engine/trace.ts';

export { createOperator } from './operator/create-operator.ts';
export type { OperatorParts } from './operator/load-run.ts';
export type {
  Contents,
  GateWait,
  Glance,
  HandedIn,
  Operator,
  Participant,
  Question,
  RecordedEvent,
  HumanAnswer,
  Soundness,
  Story,
  StoryMove,
  VariableChange,
  Written,
} from './operator/operator.ts';
export type { AnchoredHead, Anchors, Sealed, SealRequest } from './operator/seal-session.ts';
export { anchorLine } from './operator/seal-session.ts';
export type { Prunable, Survey } from './operator/find-sessions.ts';
export type { ProblemCode, SessionProblem, Verification } from './operator/verify-session.ts';
export type { PlannedActivity, PlanStanding } from './operator/session-history.ts';
export type { OutputDraft, Task, TaskStep, TaskVariable } from './operator/task.ts';
export type { ExportCheck, ExportVerification } from './operator/import-session.ts';

export { eitherCodec, createReferenceCodec, createSelfContainedCodec } from './tokens/token-codec.ts';
export type { Key, KeyRing } from './tokens/key-ring.ts';
export { isSessionId, newSessionId } from './tokens/session-id.ts';
export type { RandomBytes } from './tokens/session-id.ts';
export type {
  OpenedToken,
  TokenClaims,
  TokenCodec,
  TokenPayload,
  TokenPosition,
} from './tokens/token-codec.ts';
export { openTraceToken, sealTraceToken } from './tokens/trace-token.ts';
export type { TraceSegment } from './tokens/trace-token.ts';
