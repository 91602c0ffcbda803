import type {
  Activity,
  ActivityLoop,
  ActivityStep,
  ActivityWorkflowDefinition,
  Checkpoint,
  JsonObject,
  LoopStep,
  PromptStep,
  Rule,
  StepWorkflowDefinition,
} from '@workflowlookup/schema';

/** A rule for an output as a program writes it. A refusal shows its `message`. */
export type RuleInput = { readonly message: string } & (
  | (Rule & { readonly type: 'contains'; readonly value: string })
  | (Rule & { readonly type: 'regex'; readonly pattern: string })
  | (Rule & { readonly type: 'length' })
  | (Rule & { readonly type: 'schema'; readonly schema: JsonObject | boolean })
);

/** Criteria for an output: a rule, a pattern, a composition, or a list that must pass completely. */
export type CriteriaInput =
  | RuleInput
  | string
  | { readonly type?: undefined; readonly and: readonly CriteriaInput[] }
  | { readonly type?: undefined; readonly or: readonly CriteriaInput[] }
  | { readonly type?: undefined; readonly not: CriteriaInput }
  | CriteriaListInput;

/** A list of criteria that must pass completely. It has a name so that compile errors stay short. */
export interface CriteriaListInput extends ReadonlyArray<CriteriaInput> {}

/** A prompt step as a program writes it. */
export interface PromptStepInput<Id extends string = string> extends Omit<
  PromptStep,
  'id' | 'validationCriteria'
> {
  readonly id: Id;
  readonly validationCriteria?: CriteriaInput;
}

/** A loop over steps as a program writes it. */
export interface LoopStepInput<Id extends string = string> extends Omit<LoopStep, 'body'> {
  readonly body: string | readonly StepInput<Id>[];
}

/** A step of a step workflow as a program writes it. */
export type StepInput<Id extends string = string> = PromptStepInput<Id> | LoopStepInput<Id>;

/** A step workflow as a program writes it: what a file of definitions holds, with `description` left out if there is none. */
export interface StepWorkflowInput<StepId extends string = string> extends Omit<
  StepWorkflowDefinition,
  'description' | 'steps'
> {
  readonly description?: string;
  readonly steps: readonly StepInput<StepId>[];
}

/** A step of an activity as a program writes it. */
export interface ActivityStepInput<Id extends string = string> extends Omit<
  ActivityStep,
  'id' | 'validationCriteria'
> {
  readonly id: Id;
  readonly validationCriteria?: CriteriaInput;
}

/** A loop of an activity as a program writes it. */
export interface ActivityLoopInput<StepId extends string = string> extends Omit<ActivityLoop, 'steps'> {
  readonly steps?: readonly ActivityStepInput<StepId>[];
}

/** A checkpoint as a program writes it. */
export interface CheckpointInput<Id extends string = string> extends Omit<Checkpoint, 'id'> {
  readonly id: Id;
}

/** An activity as a program writes it: `version` is 1.0.0 if it is left out. */
export interface ActivityInput<
  Id extends string = string,
  StepId extends string = string,
  CheckpointId extends string = string,
> extends Omit<Activity, 'id' | 'version' | 'steps' | 'loops' | 'checkpoints'> {
  readonly id: Id;
  /** Default: 1.0.0. */
  readonly version?: string;
  readonly steps?: readonly ActivityStepInput<StepId>[];
  readonly loops?: readonly ActivityLoopInput<StepId>[];
  readonly checkpoints?: readonly CheckpointInput<CheckpointId>[];
}

/** An activity workflow as a program writes it, with its activities in it. */
export interface ActivityWorkflowInput<
  ActivityId extends string = string,
  StepId extends string = string,
  CheckpointId extends string = string,
> extends Omit<ActivityWorkflowDefinition, 'activities' | 'version'> {
  /** Default: 1.0.0. */
  readonly version?: string;
  readonly activities: readonly ActivityInput<ActivityId, StepId, CheckpointId>[];
}

/** A workflow written in TypeScript, with its ids as types: see {@link defineWorkflow}. */
export interface DefinedWorkflow<
  StepId extends string = string,
  ActivityId extends string = string,
  CheckpointId extends string = string,
> {
  readonly id: string;
  /** What was given to {@link defineWorkflow}. */
  readonly definition: StepWorkflowInput<StepId> | ActivityWorkflowInput<ActivityId, StepId, CheckpointId>;
}

/**
 * Declares a workflow in TypeScript. The ids of its steps, activities and checkpoints become types, so that a misspelled
 * one is a compile error. The definition itself is checked when it is first used, by the same rules as a file.
 *
 * @example
 * ```ts
 * const review = defineWorkflow({
 *   id: 'review',
 *   name: 'Review',
 *   steps: [{ id: 'read', title: 'Read the change', prompt: 'Read {{path}} and list what you would change.' }],
 * });
 * ```
 */
export function defineWorkflow<
  const StepId extends string,
  // A step workflow names neither: each of its steps is an activity, and the one checkpoint confirms a step.
  const ActivityId extends string = OutputId<StepId>,
  const CheckpointId extends string = 'confirm',
>(
  definition: StepWorkflowInput<StepId> | ActivityWorkflowInput<ActivityId, StepId, CheckpointId>,
): DefinedWorkflow<StepId, ActivityId, CheckpointId> {
  return { id: definition.id, definition };
}

/** A step as outputs name it: by its id, or in a loop as `loop@0::step`. */
export type OutputId<Id extends string> = Id | `${string}@${number}::${string}`;

/** The ids under which a workflow takes outputs; any text if the workflow is not known to the compiler. */
export type StepIdOf<Workflow> =
  Workflow extends DefinedWorkflow<infer StepId, infer _Activity, infer _Checkpoint>
    ? OutputId<StepId>
    : string;

/** The ids of a workflow's activities: in a step workflow those of its steps. */
export type ActivityIdOf<Workflow> =
  Workflow extends DefinedWorkflow<infer _Step, infer ActivityId, infer _Checkpoint> ? ActivityId : string;

/** The ids of the checkpoints of a workflow's activities; in a step workflow `confirm`. */
export type CheckpointIdOf<Workflow> =
  Workflow extends DefinedWorkflow<infer _Step, infer _Activity, infer CheckpointId> ? CheckpointId : string;
