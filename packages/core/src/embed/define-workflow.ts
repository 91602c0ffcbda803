import type {
  Activity,
  ActivityWorkflowDefinition,
  Step,
  StepWorkflowDefinition,
} from '@workflowlookup/schema';

/** A step workflow as a program writes it: what a file of definitions holds, with `description` left out if there is none. */
export interface StepWorkflowInput extends Omit<StepWorkflowDefinition, 'description'> {
  readonly description?: string;
}

/** An activity as a program writes it: `version` is 1.0.0 if it is left out. */
export interface ActivityInput extends Omit<Activity, 'version'> {
  /** Default: 1.0.0. */
  readonly version?: string;
}

/** An activity workflow as a program writes it, with its activities in it. */
export interface ActivityWorkflowInput extends Omit<ActivityWorkflowDefinition, 'activities' | 'version'> {
  /** Default: 1.0.0. */
  readonly version?: string;
  readonly activities: readonly ActivityInput[];
}

/** A workflow written in TypeScript: see {@link defineWorkflow}. */
export interface DefinedWorkflow<
  Input extends StepWorkflowInput | ActivityWorkflowInput = StepWorkflowInput | ActivityWorkflowInput,
> {
  readonly id: string;
  /** What was given to {@link defineWorkflow}. */
  readonly definition: Input;
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
export function defineWorkflow<const Input extends StepWorkflowInput | ActivityWorkflowInput>(
  definition: Input,
): DefinedWorkflow<Input> {
  return { id: definition.id, definition };
}

/** The ids of the prompt steps among these steps, including those in the bodies of loops. */
export type PromptIds<Steps> = Steps extends readonly (infer One)[]
  ? [Step] extends [One]
    ? string
    : PromptIdOf<One>
  : never;

/** The ids of one prompt step, or of those in the body of one loop. */
export type PromptIdOf<One> = One extends { readonly type: 'loop'; readonly body: infer Body }
  ? PromptIds<Body>
  : One extends { readonly id: infer Id extends string }
    ? Id
    : never;

/** The ids of the steps of an activity, including those of its loops. */
export type ActivityStepIds<One> =
  | (One extends { readonly steps: readonly { readonly id: infer Id extends string }[] } ? Id : never)
  | (One extends {
      readonly loops: readonly { readonly steps?: readonly { readonly id: infer Id extends string }[] }[];
    }
      ? Id
      : never);

/** A step as outputs name it: by its id, or in a loop as `loop@0::step`. */
export type OutputId<Id extends string> = Id | `${string}@${number}::${string}`;

/** The ids under which a workflow takes outputs; any text if the workflow is not known to the compiler. */
export type StepIdOf<Workflow> =
  Workflow extends DefinedWorkflow<infer Input>
    ? Input extends { readonly steps: infer Steps extends readonly Step[] }
      ? OutputId<PromptIds<Steps>>
      : Input extends { readonly activities: readonly (infer One)[] }
        ? OutputId<ActivityStepIds<One>>
        : string
    : string;

/** The ids of a workflow's activities: in a step workflow those of its steps. */
export type ActivityIdOf<Workflow> =
  Workflow extends DefinedWorkflow<infer Input>
    ? Input extends { readonly steps: infer Steps extends readonly Step[] }
      ? OutputId<PromptIds<Steps>>
      : Input extends { readonly activities: readonly { readonly id: infer Id extends string }[] }
        ? Id
        : string
    : string;

/** The ids of the checkpoints of a workflow's activities; in a step workflow `confirm`. */
export type CheckpointIdOf<Workflow> =
  Workflow extends DefinedWorkflow<infer Input>
    ? Input extends { readonly activities: readonly (infer One)[] }
      ? One extends { readonly checkpoints: readonly { readonly id: infer Id extends string }[] }
        ? Id
        : never
      : string
    : string;
