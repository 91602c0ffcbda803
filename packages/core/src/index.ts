export type { ListQuery, Page } from './catalogue.ts';
export { compileWorkflow } from './compile-workflow.ts';
export type { CompiledWorkflow, LoopNode, Node, Standing, StepNode } from './compile-workflow.ts';
export type { DefinitionVerdict } from './definition-verdict.ts';
export { createEngine } from './engine.ts';
export type { Engine, EngineOptions, Listing, ValidateRequest } from './engine.ts';
export type { Guidance, StepView } from './guidance.ts';
export type { NextReply, NextRequest } from './lookup.ts';
export type { BadBound } from './loop-rounds.ts';
export { nextStep } from './next-step.ts';
export type {
  LoopPosition,
  LoopStuck,
  NextStep,
  NothingLeft,
  StepFound,
  UndecidedStep,
} from './next-step.ts';
export type { Metadata, Preview } from './overview.ts';
export type {
  DraftFiles,
  JobAnswer,
  JobAsk,
  JobContext,
  JobKind,
  Jobs,
  JobTypes,
  ReadDraft,
  WalkAsk,
} from './jobs/jobs.ts';
export { jobsHere, runJob } from './jobs/run-job.ts';
export type { JobTools } from './jobs/run-job.ts';
export { outlineOf } from './outline/outline.ts';
export type {
  Outline,
  OutlinedActivity,
  OutlinedActivityLoop,
  OutlinedActivityStep,
  OutlinedCheckpoint,
  OutlinedOption,
  OutlinedStep,
  OutlinedVariable,
  OutlinedWay,
} from './outline/outline.ts';
export { foldPicture } from './picture/fold-picture.ts';
export { graphOf } from './picture/graph-of.ts';
export { paintGraph } from './picture/paint-graph.ts';
export type { NodeState, PaintedEdge, PaintedNode, PaintedPicture } from './picture/painted-picture.ts';
export type { Picture, PictureEdge, PictureEdgeKind, PictureKind, PictureNode } from './picture/picture.ts';
export { readProgress } from './progress.ts';
export type { Progress } from './progress.ts';
export { readDefinition } from './read-definition.ts';
export { readWorkflowFolder } from './read-folder.ts';
export { judgeOutput } from './walk/judge-output.ts';
export type { Judgement, JudgeOptions } from './walk/judge-output.ts';
export type { Considered, Turn, Walk, WalkOptions } from './walk/walk.ts';
export { walkThrough } from './walk/walk-through.ts';
export { wholeDefinition } from './whole-definition.ts';
export type { DefinitionProblem, UntrustedDefinition, WorkflowChange } from '@workflowlookup/storage';

export { artifactPaths } from './library/artifacts.ts';
export type { ArtifactPath } from './library/artifacts.ts';
export { coreOperations, defaultOperations } from './library/core-operations.ts';
export type { Role } from './library/core-operations.ts';
export { describeProblem } from './library/describe-problem.ts';
export { fillVariables } from './library/fill-variables.ts';
export type { TextPart } from './library/fill-variables.ts';
export { findResource } from './library/find-resource.ts';
export { findSkill, searchSkills } from './library/find-skill.ts';
export type { FoundSkill, SkillSearch } from './library/find-skill.ts';
export { searchOrder, sharedWorkflowId } from './library/library.ts';
export type { Library, Scope } from './library/library.ts';
export { primarySkill, skillForActivity, skillForStep, skillForWorkflow } from './library/load-skill.ts';
export type { ActivityPlace } from './library/load-skill.ts';
export { namedByOperations, namedByResource, neededWorkflows } from './library/needed-workflows.ts';
export { bundleText, orchestratorBundle, unchangedLine, workerBundle } from './library/operation-bundle.ts';
export type { BundleEntry, OperationBundle } from './library/operation-bundle.ts';
export { checkpointText, presentCheckpoint } from './library/present-checkpoint.ts';
export { resolveOperations } from './library/resolve-operations.ts';
export type { ResolvedElement } from './library/resolve-operations.ts';
export {
  activityText,
  definitionText,
  joinSections,
  resourceText,
  skillAnswer,
  skillsAnswer,
  skillText,
  summaryText,
} from './library/texts.ts';
export type { ActivityExtras, Header } from './library/texts.ts';
export { toToon } from './library/to-toon.ts';
export { workflowSummary } from './library/workflow-summary.ts';
export type { ActivityStub, ActivityWorkflowSummary } from './library/workflow-summary.ts';

export type { ActivityClaim, AnswerMode, Circumstances, SessionCommand } from './session/command.ts';
export { decide } from './session/decide.ts';
export { driftOf } from './session/drift.ts';
export { begin, evolve } from './session/evolve.ts';
export type { SessionEventOf, TimedEvent } from './session/evolve.ts';
export { graphNavigator } from './session/graph-navigator.ts';
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
} from './session/navigator.ts';
export { nextCalls } from './session/next-calls.ts';
export type { NextCall } from './session/next-calls.ts';
export type { Decision, Refusal } from './session/refusal.ts';
export { sequenceNavigator } from './session/sequence-navigator.ts';
export type { DecisionPolicy } from './session/policy.ts';
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
export { refuseResume } from './session/refuse-resume.ts';
export { shortenStatus } from './session/shorten-status.ts';
export { parentLink, startSession } from './session/start-session.ts';
export type { SessionStart } from './session/start-session.ts';
export { statusOf } from './session/status.ts';
export type { ChildLink, Omitted, SessionStatus } from './session/status.ts';
export type { Values } from './session/variables.ts';
export { whereabouts } from './session/whereabouts.ts';
export type { WhereaboutsOptions } from './session/whereabouts.ts';

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
export type { CallKind } from './session-engine/call-kind.ts';
export { markedCheckpoint } from './session-engine/question-parts.ts';
export type { QuestionParts, ShownValue } from './session-engine/question-parts.ts';
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
export type { AnchoredHead, Anchors } from './operator/anchors.ts';
export { anchorLine } from './operator/anchors.ts';
export type { Prunable } from './operator/prunable-sessions.ts';
export type { Sealed, SealRequest } from './operator/seal-session.ts';
export type { Survey } from './operator/survey-store.ts';
export type { ProblemCode, SessionProblem, Verification } from './operator/verify-session.ts';
export type { PlannedActivity, PlanStanding } from './operator/planned-activities.ts';
export type { OutputDraft, Task, TaskStep, TaskVariable } from './operator/task.ts';
export type { ExportCheck, ExportVerification } from './operator/verify-export.ts';
export type { SessionCounts, SessionQuery, SessionRow } from '@workflowlookup/storage';

export { eitherCodec } from './tokens/either-codec.ts';
export type { Key, KeyRing } from './tokens/key-ring.ts';
export { createReferenceCodec } from './tokens/reference-codec.ts';
export { createSelfContainedCodec } from './tokens/self-contained-codec.ts';
export { isSessionId, newSessionId } from './tokens/session-id.ts';
export type { RandomBytes } from './tokens/session-id.ts';
export type { OpenedToken, TokenClaims, TokenCodec, TokenPayload } from './tokens/token-codec.ts';
export type { TokenPosition } from './tokens/token-position.ts';
export { openTraceToken, sealTraceToken } from './tokens/trace-token.ts';
export type { TraceSegment } from './tokens/trace-token.ts';
