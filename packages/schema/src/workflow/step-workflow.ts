import type { JsonObject } from '../json.ts';
import type { FieldsOfStep, Evidence } from './outputs.ts';

/**
 * A condition as written by the author: an object in either notation, or a `when` string. The package
 * @workflowlookup/conditions evaluates it.
 */
export type ConditionSource = JsonObject | string;

/** The types of declared variables. */
export type VariableType = 'string' | 'number' | 'boolean' | 'array' | 'object';

/**
 * Restricts who may set a variable: `agent`, `checkpoint` (the answer to any), or ids of activities, steps and
 * checkpoints. By default agents may, until an answer has set the variable.
 */
export type VariableSetters = string | readonly string[];

/** A variable of a step workflow. */
export interface VariableDeclaration {
  readonly name: string;
  readonly type: VariableType;
  readonly description?: string;
  readonly default?: JsonObject[string];
  readonly required?: boolean;
  readonly set_by?: VariableSetters;
}

/** One validation rule (docs/authoring.md#criteria). A failure reports its `message`. */
export type Rule = ContainsRule | RegexRule | LengthRule | SchemaRule;

/** The common properties of all rules. */
export interface RuleBase {
  /** Required in definitions. Callers of the library may omit it and get a default text. */
  readonly message?: string;
  /** The field of the output to check. Default: the whole output. */
  readonly field?: string;
  /** The rule only applies if this is true. */
  readonly condition?: ConditionSource;
  /** A remedy for a failure, instead of the generated one. */
  readonly suggestion?: string;
}

/** The output must contain this text (case-sensitive). */
export interface ContainsRule extends RuleBase {
  readonly type: 'contains';
  readonly value?: string;
}

/** The output must match this pattern (RE2 syntax, with flags from `imsug`). */
export interface RegexRule extends RuleBase {
  readonly type: 'regex';
  readonly pattern?: string;
  readonly flags?: string;
}

/** The output must have between `min` and `max` UTF-16 units. */
export interface LengthRule extends RuleBase {
  readonly type: 'length';
  readonly min?: number;
  readonly max?: number;
}

/** The output must be JSON (or exactly one fenced JSON block) that this JSON Schema accepts. */
export interface SchemaRule extends RuleBase {
  readonly type: 'schema';
  readonly schema?: JsonObject | boolean;
}

/** Rules joined by exactly one of `and`, `or`, `not`. */
export type Composition =
  | { readonly and: readonly Criteria[] }
  | { readonly or: readonly Criteria[] }
  | { readonly not: Criteria };

/** Requirements for an output: a rule, a pattern, a composition, or a list that must pass completely. */
export type Criteria = Rule | string | Composition | readonly Criteria[];

/**
 * Who confirms a step or answers a checkpoint: the agent with the choice of its user (`any`), only a person (`human`), or
 * the agent by itself (`agent`).
 */
export type Approver = 'any' | 'human' | 'agent';

/** A step that an agent carries out. */
export interface PromptStep extends FieldsOfStep {
  readonly type?: undefined;
  readonly id: string;
  readonly title: string;
  readonly prompt: string;
  readonly agentRole?: string;
  readonly guidance?: readonly string[];
  readonly askForFiles?: boolean;
  readonly requireConfirmation?: boolean | ConditionSource;
  readonly approver?: Approver;
  /** If true, a session with the autonomy `reversible` confirms the step without asking. */
  readonly reversible?: boolean;
  /** If true, an agent that can't do the step may report it as `not_done`. */
  readonly may_be_missing?: boolean;
  readonly runCondition?: ConditionSource;
  readonly validationCriteria?: Criteria;
  /** What proves that the step was done. Sessions check it, lookups don't. */
  readonly evidence?: readonly Evidence[];
  readonly modelHint?: string;
}

/** How often a loop runs; `maxIterations` bounds every kind. */
export interface LoopSpec {
  readonly type: 'while' | 'until' | 'for' | 'forEach';
  readonly maxIterations: number;
  /** For while and until: evaluated before each iteration. */
  readonly condition?: ConditionSource;
  /** For for: 1 to 1000, or the (dotted) name of a variable with the number. */
  readonly count?: number | string;
  /** For forEach: the (dotted) name of a variable with an array. */
  readonly items?: string;
  /** Name of the variable for the iteration, from 1. Default `currentIteration`. */
  readonly iterationVar?: string;
  /** Name of the variable for the item. Default `currentItem`. */
  readonly itemVar?: string;
  /** Name of the variable for the index, from 0. Default `currentIndex`. */
  readonly indexVar?: string;
}

/** A loop over steps. */
export interface LoopStep {
  readonly type: 'loop';
  readonly id: string;
  readonly title: string;
  readonly loop: LoopSpec;
  /** Inline steps, or the id of a step in the same list, which then only runs here. */
  readonly body: string | readonly Step[];
  readonly runCondition?: ConditionSource;
}

/** A step of a step workflow. */
export type Step = PromptStep | LoopStep;

/** `advisory` lets a session deviate from the workflow with a warning; `strict` refuses deviations. */
export type Enforcement = 'advisory' | 'strict';

/** A way in which a session can end. */
export interface SessionOutcome {
  readonly name: string;
  /** Without one, it applies to every session. */
  readonly when?: ConditionSource;
  readonly result?: 'success' | 'failure' | 'stopped';
}

/** How people see the sessions of a workflow. */
export interface SessionTexts {
  /** The title of a session, with variables: `{name}` in activity workflows, `{{name}}` in step workflows. */
  readonly session_title?: string;
  /** The first one whose condition is true when the session completes is its outcome. */
  readonly session_outcomes?: readonly SessionOutcome[];
}

/** A step workflow after all checks (docs/authoring.md). Keys that start with `x-` are kept and ignored. */
export interface StepWorkflowDefinition extends SessionTexts {
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
