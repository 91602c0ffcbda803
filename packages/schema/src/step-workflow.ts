import type { JsonObject } from './json.ts';

/** A condition as its author wrote it, an object in either dialect or a `when` string; @workflowlookup/conditions gives it meaning. */
export type ConditionSource = JsonObject | string;

/** What a declared variable may hold. */
export type VariableType = 'string' | 'number' | 'boolean' | 'array' | 'object';

/**
 * Who may set a variable in a session: `agent`, `checkpoint` (the answer to any), or ids of activities, steps and
 * checkpoints. Without it agents may, until an answer has set the variable.
 */
export type VariableSetters = string | readonly string[];

/** A variable a workflow says it uses. */
export interface VariableDeclaration {
  readonly name: string;
  readonly type: VariableType;
  readonly description?: string;
  readonly default?: JsonObject[string];
  readonly required?: boolean;
  readonly set_by?: VariableSetters;
}

/** One rule of the ValidationEngine (docs/authoring.md#criteria). `message` is what a failure reports. */
export type Rule = ContainsRule | RegexRule | LengthRule | SchemaRule;

/** What every rule may carry. */
export interface RuleBase {
  /** Required in definitions; callers of the library may leave it out and get a default text. */
  readonly message?: string;
  /** The rule counts only where this holds. */
  readonly condition?: ConditionSource;
  /** What to do about a failure, in place of the generated line. */
  readonly suggestion?: string;
}

/** The output contains this text, case-sensitive. */
export interface ContainsRule extends RuleBase {
  readonly type: 'contains';
  readonly value?: string;
}

/** The output matches this pattern (RE2 syntax), with flags out of `imsug`. */
export interface RegexRule extends RuleBase {
  readonly type: 'regex';
  readonly pattern?: string;
  readonly flags?: string;
}

/** The output's length in UTF-16 units lies within `min` and `max`. */
export interface LengthRule extends RuleBase {
  readonly type: 'length';
  readonly min?: number;
  readonly max?: number;
}

/** The output is JSON (or exactly one fenced JSON block) that this JSON Schema accepts. */
export interface SchemaRule extends RuleBase {
  readonly type: 'schema';
  readonly schema?: JsonObject | boolean;
}

/** Rules joined by exactly one of `and`, `or`, `not`. */
export type Composition =
  | { readonly and: readonly Criteria[] }
  | { readonly or: readonly Criteria[] }
  | { readonly not: Criteria };

/** What an output must meet: a rule, a pattern, a composition, or a list of these that must all pass. */
export type Criteria = Rule | string | Composition | readonly Criteria[];

/** Who may confirm a step or answer a checkpoint. */
export type Approver = 'any' | 'human';

/** One thing for an agent to do. */
export interface PromptStep {
  readonly type?: undefined;
  readonly id: string;
  readonly title: string;
  readonly prompt: string;
  readonly agentRole?: string;
  readonly guidance?: readonly string[];
  readonly askForFiles?: boolean;
  readonly requireConfirmation?: boolean | ConditionSource;
  readonly approver?: Approver;
  readonly runCondition?: ConditionSource;
  readonly validationCriteria?: Criteria;
  readonly modelHint?: string;
}

/** How often a loop runs; `maxIterations` bounds every kind. */
export interface LoopSpec {
  readonly type: 'while' | 'until' | 'for' | 'forEach';
  readonly maxIterations: number;
  /** while, until: checked when an iteration starts. */
  readonly condition?: ConditionSource;
  /** for: 1..1000, or the (dotted) name of a variable that holds the number. */
  readonly count?: number | string;
  /** forEach: the (dotted) name of a variable that holds an array. */
  readonly items?: string;
  /** Name of the iteration, from 1; default `currentIteration`. */
  readonly iterationVar?: string;
  /** Name of the item; default `currentItem`. */
  readonly itemVar?: string;
  /** Name of the index, from 0; default `currentIndex`. */
  readonly indexVar?: string;
}

/** Steps that run once for each iteration. */
export interface LoopStep {
  readonly type: 'loop';
  readonly id: string;
  readonly title: string;
  readonly loop: LoopSpec;
  /** Inline steps, or the id of a sibling step, which then runs only here. */
  readonly body: string | readonly Step[];
  readonly runCondition?: ConditionSource;
}

/** A step of a step workflow. */
export type Step = PromptStep | LoopStep;

/** Whether a session may depart from the workflow with a warning, or is refused. */
export type Enforcement = 'advisory' | 'strict';

/** A step workflow as its author wrote it, after every check (docs/authoring.md). Keys that begin with `x-` are kept and ignored. */
export interface StepWorkflowDefinition {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version?: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  readonly preconditions?: readonly string[];
  readonly clarificationPrompts?: readonly string[];
  readonly metaGuidance?: readonly string[];
  readonly variables?: readonly VariableDeclaration[];
  readonly enforcement?: Enforcement;
  readonly steps: readonly Step[];
}
