// The pure decisions that sessions make, for packages that explore and draw workflows.
export { conditionText, compileWorkflow } from '../navigation/compile-workflow.ts';
export { graphNavigator } from '../navigation/graph-navigator.ts';
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
} from '../navigation/navigator.ts';
export { sequenceNavigator } from '../navigation/sequence-navigator.ts';
export { outcomeOf } from '../insights/session-figures.ts';
export type { Outcome } from '../insights/session-figures.ts';
export { workAt } from '../operator/task.ts';
export { decideJudged, judgeStep } from '../session-engine/write-calls.ts';
export { openQuestion } from '../session-engine/present.ts';
export type { RejectedOutput } from '../session-engine/trace.ts';
export type { JudgeParts } from '../session-engine/write-calls.ts';
export { runnableOf } from '../session-engine/open-session.ts';
export type { Runnable, RunnableSteps, RunnableActivities } from '../session-engine/open-session.ts';
export type { DecisionInputs, SessionCommand, Decision, Refusal } from './command.ts';
export { decide, startSession } from './decide.ts';
export type { SessionStart } from './decide.ts';
export type { EvidenceDemand, EvidenceSight } from '../evidence/evidence-state.ts';
export { begin, evolve, visitsOf } from './evolve.ts';
export type { SessionEventOf, TimedEvent } from './evolve.ts';
export { itemAt, listOf, mostIterations, withItem } from './outputs/loop-iterations.ts';
export type { MissingList } from './outputs/loop-iterations.ts';
export { accountForSteps, valuesOfFields, allSteps, unnamedCheckpoints } from './outputs/step-account.ts';
export type { Judge } from './outputs/manifest.ts';
export type { StepInstance, StepAccount, CheckpointGroup } from './outputs/step-account.ts';
export { answersTo, isSentBack } from './open-checkpoints.ts';
export { sessionPosition, endKeyword, evaluateMove, undecidedOf } from './evaluate-move.ts';
export type {
  MoveCommand,
  EvaluatedMove,
  EvaluatedWork,
  LegalTransition,
  SessionPositionOptions,
  Target,
  ActivityTarget,
} from './evaluate-move.ts';
export type {
  OpenCheckpoint,
  SessionState,
  AskedCheckpoint,
  CheckpointSkip,
  VariableOrigin,
  OwnedVariable,
  FrozenQuestion,
  DecidedCheckpoint,
  StateBefore,
} from './session-state.ts';
export type { Autonomy, CollectionResult, ParkedBy } from './session-event.ts';
export { nextCalls } from './status.ts';
export { rootOf, withModeDefaults } from './session-state.ts';
export type {
  CompiledWorkflow,
  LoopNode,
  Node,
  StepNode,
  NodePosition,
} from '../navigation/compile-workflow.ts';
export type {
  BadBound,
  Progress,
  Instance,
  InstanceId,
  LoopIteration,
  NextStep,
  FailedCondition,
  StepFound,
  LoopStuck,
  NothingLeft,
} from '../navigation/next-step.ts';
export {
  searchNext,
  readProgress,
  parseInstanceId,
  stepIdOf,
  iterationPrefix,
  findInstances,
  stepAt,
} from '../navigation/next-step.ts';
