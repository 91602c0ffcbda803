import type {
  Activity,
  ActivityLoop,
  ActivityPart,
  ActivityStep,
  ActivityVariable,
  Approver,
  Checkpoint,
  CheckpointOption,
  ConditionSource,
  FieldsOfStep,
  Json,
  PromptStep,
  Step,
  VariableDeclaration,
  Workflow,
  WorkflowSummary,
} from '@workflowlookup/schema';
import { initialActivityOf, summarize, defined, unlessEmpty } from '@workflowlookup/schema';
import { describeCriteria } from '@workflowlookup/validation';
import { conditionText } from '@workflowlookup/core/decisions';
import { outlineTexts } from './messages.ts';

/** A summary of a workflow: its steps in order, with conditions, loops and checkpoints. */
export interface Outline extends WorkflowSummary {
  readonly digest: string;
  readonly kind: Workflow['kind'];
  readonly variables: readonly OutlinedVariable[];
  /** Only for a step workflow. */
  readonly steps?: readonly OutlinedStep[];
  /** Only for an activity workflow. */
  readonly activities?: readonly OutlinedActivity[];
}

/** A variable a workflow declares. */
export interface OutlinedVariable {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly default?: Json;
}

/** A step or a loop of a step workflow. Conditions and `rounds` are sentences. */
export interface OutlinedStep {
  readonly id: string;
  readonly title: string;
  /** The instructions for the agent. A loop has none. */
  readonly prompt?: string;
  readonly guidance?: readonly string[];
  readonly when?: string;
  /** Set if somebody must confirm the step. */
  readonly confirmation?: { readonly approver: Approver; readonly when?: string };
  /** The criteria for its output. */
  readonly criteria?: readonly string[];
  /** The fields that its output must have. */
  readonly fields?: readonly OutlinedField[];
  /** For a loop: how often it repeats. */
  readonly rounds?: string;
  /** For a loop: the repeated steps, or the id of the step in the same list that is repeated. */
  readonly body?: readonly OutlinedStep[] | string;
}

/** A field that the output of a step must have. */
export interface OutlinedField {
  readonly id: string;
  /** Describes the accepted values: `text of at least 40 characters`. */
  readonly takes: string;
  readonly isRequired: boolean;
  readonly description?: string;
  /** The variables that it sets. */
  readonly sets?: readonly string[];
}

/** An activity with its steps, checkpoints and transitions. */
export interface OutlinedActivity {
  readonly id: string;
  readonly name: string;
  /** The session starts with it. */
  readonly isFirst: boolean;
  /** The workflow it is borrowed from. */
  readonly lender?: string;
  readonly steps: readonly OutlinedActivityStep[];
  readonly loops: readonly OutlinedActivityLoop[];
  readonly checkpoints: readonly OutlinedCheckpoint[];
  /** In the order they are tried: decisions, then transitions. */
  readonly transitions: readonly OutlinedTransition[];
}

/** A step of an activity. */
export interface OutlinedActivityStep {
  readonly id: string;
  readonly name?: string;
  /** The instructions for the agent. */
  readonly description?: string;
  /** The skill that the agent is given for it. */
  readonly skill?: string;
  readonly when?: string;
  readonly checkpoint?: string;
  readonly isOptional: boolean;
  readonly criteria?: readonly string[];
  /** The fields that its output must have. */
  readonly fields?: readonly OutlinedField[];
  /** Ids of the workflows that are started as children. */
  readonly starts?: readonly string[];
}

/** A loop of an activity: over steps of its own, or over activities. */
export interface OutlinedActivityLoop {
  readonly id: string;
  readonly name: string;
  readonly rounds: string;
  readonly steps: readonly OutlinedActivityStep[];
  readonly activities?: readonly string[];
}

/** A question at which work stops. */
export interface OutlinedCheckpoint {
  readonly id: string;
  readonly name: string;
  readonly message: string;
  readonly when?: string;
  readonly approver: Approver;
  readonly options: readonly OutlinedOption[];
}

/** An answer with its effects. */
export interface OutlinedOption {
  readonly id: string;
  readonly label: string;
  readonly sets?: { readonly [name: string]: Json };
  readonly leadsTo?: string;
  readonly skips?: readonly string[];
  /** Set if the option can't be undone. */
  readonly isIrreversible?: true;
}

/** A transition from an activity. */
export interface OutlinedTransition {
  /** Id of an activity or a reserved word; absent for a branch that leads nowhere in particular. */
  readonly to?: string;
  readonly when?: string;
  readonly isDefault: boolean;
  /** The decision it is a branch of. */
  readonly decision?: string;
}

/** The location of the definition of an activity. */
export interface ActivityFile {
  /** Id of the activity. */
  readonly id: string;
  /** The path in the folder of the workflow. */
  readonly file: string;
  /** JSON pointer of the activity in its file. */
  readonly pointer: string;
}

/**
 * Returns the location of the definition of each activity. Leaves out borrowed activities, whose files belong to
 * another workflow. For a step workflow, the list is empty.
 *
 * @example
 * ```ts
 * const [first] = filesOfActivities(workflow); // { id: 'plan', file: 'activities/01-plan.yaml', pointer: '' }
 * ```
 */
export function filesOfActivities(workflow: Workflow): readonly ActivityFile[] {
  if (workflow.kind === 'steps') return [];
  return workflow.activities
    .filter(({ lender }) => lender === undefined)
    .map(({ id, file, pointer }) => ({ id, file, pointer }));
}

/**
 * Returns the outline of a workflow.
 *
 * @example
 * ```ts
 * const outline = outlineOf(workflow);
 * ```
 */
export function outlineOf(workflow: Workflow): Outline {
  const { digest, kind } = workflow;
  const declared: readonly (VariableDeclaration & Pick<ActivityVariable, 'defaultValue'>)[] =
    workflow.definition.variables ?? [];
  const variables = declared.map(
    ({ name, type, description, defaultValue, default: value = defaultValue }) => ({
      name,
      type,
      ...defined({ description, default: value }),
    }),
  );
  const common = { ...summarize(workflow), digest, kind, variables };
  if (workflow.kind === 'steps') return { ...common, steps: outlineSteps(workflow.definition.steps) };
  const first = initialActivityOf(workflow);
  return {
    ...common,
    activities: workflow.activities.map((part) => outlineActivity(part, part.id === first)),
  };
}

/** Returns the outline of the steps of a step workflow. */
function outlineSteps(steps: readonly Step[]): readonly OutlinedStep[] {
  return steps.map((step) => {
    const { id, title, runCondition } = step;
    const common = { id, title, ...when(runCondition) };
    if (step.type !== 'loop') return { ...common, ...demandsOf(step) };
    const body = typeof step.body === 'string' ? step.body : outlineSteps(step.body);
    return { ...common, rounds: outlineTexts.stepIterations(step.loop), body };
  });
}

function demandsOf({
  prompt,
  guidance,
  requireConfirmation,
  approver = 'any',
  validationCriteria,
  ...more
}: PromptStep): Pick<OutlinedStep, 'prompt' | 'guidance' | 'confirmation' | 'criteria' | 'fields'> {
  const condition = typeof requireConfirmation === 'boolean' ? undefined : requireConfirmation;
  const isAsked = requireConfirmation !== undefined && requireConfirmation !== false;
  return {
    prompt,
    ...defined({
      guidance,
      confirmation: isAsked ? { approver, ...when(condition) } : undefined,
      criteria: validationCriteria === undefined ? undefined : describeCriteria(validationCriteria),
      fields: fieldsOf(more),
    }),
  };
}

/** Returns the fields that a step asks for; `undefined` if it asks for none. */
function fieldsOf({ fields, sets = {} }: FieldsOfStep): readonly OutlinedField[] | undefined {
  return fields?.map(({ id, description, required = true, ...field }): OutlinedField => {
    const names = Object.keys(sets).filter((variable) => sets[variable] === id);
    return {
      id,
      takes: outlineTexts.field(field),
      isRequired: required,
      ...defined({ description, sets: unlessEmpty(names) }),
    };
  });
}

function outlineActivity({ id, definition, lender }: ActivityPart, isFirst: boolean): OutlinedActivity {
  const { name, steps = [], loops = [], checkpoints = [] } = definition;
  return {
    id,
    name,
    isFirst,
    ...defined({ lender }),
    steps: steps.map(outlineStep),
    loops: loops.map(outlineLoop),
    checkpoints: checkpoints.map(outlineCheckpoint),
    transitions: transitionsOf(definition),
  };
}

function outlineStep(step: ActivityStep): OutlinedActivityStep {
  const { id, name, description, skill, checkpoint, required, validationCriteria, triggers } = step;
  return {
    id,
    ...defined({ name, description, skill, when: conditionsOfStep(step), checkpoint }),
    isOptional: required === false,
    ...defined({
      criteria: validationCriteria === undefined ? undefined : describeCriteria(validationCriteria),
      fields: fieldsOf(step),
      starts: triggers?.map(({ workflow }) => workflow),
    }),
  };
}

/** Returns the conditions of a step of an activity as one text. */
export function conditionsOfStep({ when: source, condition }: ActivityStep): string | undefined {
  const conditions = [source, condition].filter((one) => one !== undefined).map(conditionText);
  return conditions.length === 0 ? undefined : outlineTexts.conditions(conditions);
}

function outlineLoop(loop: ActivityLoop): OutlinedActivityLoop {
  const { id, name, steps = [], activities } = loop;
  return {
    id,
    name,
    rounds: outlineTexts.activityIterations(loop),
    steps: steps.map(outlineStep),
    ...defined({ activities }),
  };
}

function outlineCheckpoint({
  id,
  name,
  message,
  condition,
  approver = 'any',
  options,
}: Checkpoint): OutlinedCheckpoint {
  return { id, name, message, ...when(condition), approver, options: options.map(outlineOption) };
}

function outlineOption({ id, label, effect = {}, irreversible }: CheckpointOption): OutlinedOption {
  const { setVariable, transitionTo, skipActivities } = effect;
  return {
    id,
    label,
    ...defined({ sets: setVariable, leadsTo: transitionTo, skips: skipActivities }),
    ...(irreversible === true && { isIrreversible: true }),
  };
}

function transitionsOf({ decisions = [], transitions = [] }: Activity): readonly OutlinedTransition[] {
  const branches = decisions.flatMap((decision) =>
    decision.branches.map(({ transitionTo, condition, isDefault = false }) => ({
      ...(transitionTo !== undefined && { to: transitionTo }),
      ...when(condition),
      isDefault,
      decision: decision.id,
    })),
  );
  const others = transitions.map(({ to, condition, isDefault = false }) => ({
    to,
    ...when(condition),
    isDefault,
  }));
  return [...branches, ...others];
}

export function when(source: ConditionSource | undefined): { readonly when?: string } {
  return source === undefined ? {} : { when: conditionText(source) };
}
