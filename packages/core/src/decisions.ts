// The pure decisions that sessions make, for packages that explore and draw workflows.
export { conditionText } from './navigation/compile-activity.ts';
export { graphNavigator } from './navigation/graph-navigator.ts';
export type {
  SessionCheckpoint,
  CandidateTransition,
  Navigator,
  ActivityPlan,
  PlannedLoop,
  Assignment,
  TransitionOrigin,
  DeclaredVariable,
  Mode,
  SessionPosition,
  Frontier,
  IllegalTransition,
  OpenLoop,
  CheckpointPolicy,
  PlannedStep,
} from './navigation/navigator.ts';
export { sequenceNavigator } from './navigation/sequence-navigator.ts';
export { outcomeOf } from './insights/session-figures.ts';
export type { Outcome } from './insights/session-figures.ts';
export { workAt } from './operator/task.ts';
export { decideJudged, judgeStep } from './session-engine/execute-command.ts';
export { openQuestion } from './session-engine/present.ts';
export type { RejectedOutput } from './session-engine/trace.ts';
export type { JudgeParts } from './session-engine/execute-command.ts';
export { runnableOf } from './session-engine/open-session.ts';
export type { Runnable, RunnableSteps, RunnableActivities } from './session-engine/open-session.ts';
export type { DecisionInputs, SessionCommand, Decision, Refusal } from './session/command.ts';
export { decide, startSession } from './session/decide.ts';
export type { SessionStart } from './session/decide.ts';
export type { EvidenceDemand, EvidenceSight } from './evidence/evidence-state.ts';
export { begin, evolve, visitsOf } from './session/evolve.ts';
export type { SessionEventOf, TimedEvent } from './session/evolve.ts';
export { itemAt, listOf, mostIterations, withItem } from './session/loop-iterations.ts';
export type { MissingList } from './session/loop-iterations.ts';
export { accountForSteps, valuesOfFields, allSteps, unnamedCheckpoints } from './session/manifest.ts';
export type { StepInstance, Judge, StepAccount, CheckpointGroup } from './session/manifest.ts';
export { answersTo, isSentBack, openCheckpoints } from './session/open-checkpoints.ts';
export { sessionPosition, endKeyword, evaluateMove, undecidedOf } from './session/evaluate-move.ts';
export type {
  MoveCommand,
  EvaluatedMove,
  LegalTransition,
  SessionPositionOptions,
  Target,
  ActivityTarget,
} from './session/evaluate-move.ts';
export type {
  OpenCheckpoint,
  SessionState,
  AskedCheckpoint,
  CheckpointSkip,
  VariableOrigin,
  OwnedVariable,
  FrozenQuestion,
  DecidedCheckpoint,
  NotDoneStep,
  TakenCheckpoint,
  StateBefore,
} from './session/session-state.ts';
export type { Autonomy, CollectionResult, ParkedBy } from './session/session-event.ts';
export { nextCalls } from './session/status.ts';
export { rootOf, withModeDefaults } from './session/session-state.ts';
export { compileWorkflow } from './steps/compile-workflow.ts';
export type { CompiledWorkflow, LoopNode, Node, StepNode, NodePosition } from './steps/compile-workflow.ts';
export type {
  BadBound,
  Progress,
  Instance,
  InstanceId,
  Round,
  NextStep,
  FailedCondition,
  StepFound,
  LoopStuck,
  NothingLeft,
} from './steps/next-step.ts';
export {
  searchNext,
  readProgress,
  parseInstanceId,
  stepIdOf,
  roundPrefix,
  findInstances,
  stepAt,
} from './steps/next-step.ts';
