import type { Context } from '@workflowlookup/conditions';
import { evaluate, lookUp } from '@workflowlookup/conditions';
import type {
  ActivityVariable,
  Criteria,
  Enforcement,
  Field,
  PromptStep,
  VariableDeclaration,
  JsonObject,
  StepWorkflowDefinition,
} from '@workflowlookup/schema';
import { walkSteps, WorkflowError, didYouMean } from '@workflowlookup/schema';
import { describeCriteria, schemaOfFields } from '@workflowlookup/validation';
import { partMessages } from '../messages/lookup.ts';
import type { CompiledWorkflow } from '../steps/compile-workflow.ts';
import type { LoopPosition, NextStep, UndecidedStep, StepFound } from '../steps/next-step.ts';
import { nextStep, describeStuck, readProgress, findInstances } from '../steps/next-step.ts';

/** The position of a caller in a workflow. */
export interface NextRequest {
  readonly workflowId: string;
  /** The step that the caller is on. An id that the workflow does not have is refused with `STEP_NOT_FOUND`. */
  readonly currentStep?: string;
  /** The ids of all steps done so far; in a loop `loop@0::step`. */
  readonly completedSteps: readonly string[];
  /** The variables that conditions read and texts show. */
  readonly context?: Context;
}

/** The next step; `step` is null exactly when `isComplete`. */
export interface NextReply {
  /** What to do next; `null` if the workflow is complete. */
  readonly step: StepView | null;
  /** The instructions for the agent. */
  readonly guidance: Guidance;
  readonly isComplete: boolean;
  /** Set while the step is in a loop. */
  readonly loop?: LoopPosition;
  /** Problems of the request that did not prevent an answer, such as an unknown step id. */
  readonly warnings?: readonly string[];
  /** Steps that were skipped only because variables were not set. */
  readonly undecided?: readonly UndecidedStep[];
}

/** A step as its author wrote it, as far as an output is judged by it. */
export interface JudgedStep {
  readonly validationCriteria?: Criteria;
  readonly fields?: readonly Field[];
}

/** The lookup tools of one workflow: the differences between the two kinds of workflow. Pure. */
export interface Lookup {
  /** Returns the workflow's metadata without its steps. */
  metadata(): Metadata;
  /** Metadata and the first step. */
  preview(): Preview;
  /** The next step. @throws WorkflowError STEP_NOT_FOUND, INVALID_STATE, INVALID_WORKFLOW */
  next(request: NextRequest): NextReply;
  /** The step an id means; the same object each time. @throws WorkflowError STEP_NOT_FOUND */
  step(stepId: string): JudgedStep;
  /** Returns the variables that rules and conditions read from a caller's context. */
  variables(context: Context): Context;
}

/** The metadata of a workflow before it is started. */
export interface Metadata {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  /** What must be true before the workflow is started. */
  readonly preconditions?: readonly string[];
  /** Questions to put to the user before the first step. */
  readonly clarificationPrompts?: readonly string[];
  /** Advice that applies to every step. */
  readonly metaGuidance?: readonly string[];
  /** The variables that the workflow declares. */
  readonly variables?: readonly (ActivityVariable | VariableDeclaration)[];
  readonly enforcement?: Enforcement;
  /** Authored steps, loop bodies counted once, loops themselves not; of an activity workflow its activities. */
  readonly totalSteps: number;
}

/** Metadata with the first step for an empty context, as its author wrote it; `null` if no step is eligible. */
export interface Preview extends Metadata {
  /** `null` if no step is eligible for an empty context. */
  readonly firstStep: PromptStep | null;
}

/** Returns the metadata of a step workflow without its steps. */
function metadataOf({ workflow: { definition } }: CompiledWorkflow): Metadata {
  const { id, name, description, version = '0.0.0' } = definition;
  const { category, tags, preconditions, clarificationPrompts, metaGuidance, variables, enforcement } =
    definition;
  const optional = {
    category,
    tags,
    preconditions,
    clarificationPrompts,
    metaGuidance,
    variables,
    enforcement,
  };
  const present = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
  const prompts = [...walkSteps(definition.steps)].filter(({ step }) => step.type !== 'loop');
  return { id, name, description, version, ...present, totalSteps: prompts.length };
}

/** Metadata and the first step. */
function previewOf(compiled: CompiledWorkflow): Preview {
  const first = nextStep(compiled, readProgress(compiled, []), {});
  const firstStep = first.kind === 'step' ? { ...first.node.step, id: first.instanceId } : null;
  return { ...metadataOf(compiled), firstStep };
}

/**
 * The lookup tools on a step workflow.
 *
 * @see docs/tools.md#workflow_next
 */
export function stepLookup(compiled: CompiledWorkflow): Lookup {
  return {
    metadata: () => metadataOf(compiled),
    preview: () => previewOf(compiled),
    next: (request) => answer(compiled, request),
    step: (stepId) => findStep(compiled, stepId),
    variables: (context) => context,
  };
}

function findStep(workflow: CompiledWorkflow, stepId: string): PromptStep {
  const node = findInstances(workflow, stepId)[0]?.position.node;
  if (node?.kind === 'step') return node.step;
  throw stepNotFound(workflow, stepId);
}

function stepNotFound({ workflow, positions }: CompiledWorkflow, stepId: string): WorkflowError {
  const nearest = didYouMean(stepId, [...positions.keys()]);
  return new WorkflowError('STEP_NOT_FOUND', partMessages.noStep(workflow.id, 'step', stepId, nearest), {
    data: { stepId },
  });
}

function answer(
  compiled: CompiledWorkflow,
  { currentStep, completedSteps, context = {} }: NextRequest,
): NextReply {
  if (currentStep !== undefined && findInstances(compiled, currentStep).length === 0)
    throw stepNotFound(compiled, currentStep);
  const progress = readProgress(compiled, completedSteps);
  const next = nextStep(compiled, progress, context);
  const warnings = next.warnings.length === 0 ? {} : { warnings: next.warnings };
  switch (next.kind) {
    case 'step': {
      const handout = composeInstructions(next, compiled.workflow.definition, {
        isFirst: progress.done.size === 0,
      });
      return {
        ...handout,
        isComplete: false,
        ...(next.loop === undefined ? {} : { loop: next.loop }),
        ...warnings,
      };
    }
    case 'complete':
      return { ...endOf(next.undecided), ...warnings };
    case 'stuck':
    case 'exhausted':
      throw stuckLoop(next);
  }
}

function endOf(undecided: readonly UndecidedStep[]): NextReply {
  const guidance = { prompt: composeEnd(undecided) };
  return { step: null, guidance, isComplete: true, ...(undecided.length === 0 ? {} : { undecided }) };
}

function stuckLoop(next: Extract<NextStep, { kind: 'stuck' | 'exhausted' }>): WorkflowError {
  const variable = next.kind === 'stuck' ? { variable: next.bound.variable } : {};
  return new WorkflowError('INVALID_STATE', describeStuck(next), {
    data: { loopId: next.loopId, ...variable },
  });
}

/** A step as it is given to an agent: its instance id, and its texts with the context's values filled in. */
export type StepView = Omit<PromptStep, 'type' | 'validationCriteria' | 'modelHint' | 'fields' | 'sets'>;

/** The instructions of a step as one text for the agent, and the facts a client acts on. */
export interface Guidance {
  /** The instructions, with variables filled in. */
  readonly prompt: string;
  /** The author's hint for the choice of a model. */
  readonly modelHint?: string;
  /** Whether a person must confirm the step. */
  readonly requiresConfirmation?: boolean;
  /** The criteria as sentences, if the step has any. */
  readonly validationCriteria?: readonly string[];
  /** The JSON Schema of the output, if the step has fields. */
  readonly outputSchema?: JsonObject;
}

export interface Instructions {
  readonly step: StepView;
  readonly guidance: Guidance;
}

/** What a caller shows or does besides the composed prompt. */
export interface CompositionOptions {
  /** Whether no step was done yet, so that the prompt begins with the texts of the workflow. */
  readonly isFirst: boolean;
  /** A session sets variables from fields itself; other callers are asked to. Default false. */
  readonly inSession?: boolean;
  /** Whether the caller shows the step's guidance as a list of its own, outside of the prompt. Default false. */
  readonly showsGuidance?: boolean;
}

/**
 * Composes the instructions of a step: the workflow's own texts on the first call, then role, guidance, prompt, loop,
 * confirmation, variables to set and files.
 *
 * @see docs/tools.md#workflow_next
 */
export function composeInstructions(
  found: StepFound,
  definition: StepWorkflowDefinition,
  { isFirst, inSession = false, showsGuidance = false }: CompositionOptions,
): Instructions {
  const expand = createExpander(found.context);
  const { step: authored } = found.node;
  const confirms = isConfirmed(found.node.confirms, found.context);
  const step = viewOf(authored, found.instanceId, expand);
  const prompt = [
    ...(isFirst ? openingOf(definition, expand) : []),
    ...bodyOf(step, showsGuidance),
    ...(found.loop === undefined ? [] : [loopBanner(found.loop)]),
    ...(confirms ? [confirmationLine(authored)] : []),
    ...(inSession ? [] : describeSets(authored.sets)),
    ...(authored.askForFiles === true ? ['Ask the user for the files this step needs.'] : []),
  ].join('\n\n');
  const sentences =
    authored.validationCriteria === undefined ? [] : describeCriteria(authored.validationCriteria);
  return {
    step,
    guidance: {
      prompt,
      ...(authored.modelHint === undefined ? {} : { modelHint: authored.modelHint }),
      ...(authored.requireConfirmation === undefined ? {} : { requiresConfirmation: confirms }),
      ...(sentences.length === 0 ? {} : { validationCriteria: sentences }),
      ...(authored.fields === undefined ? {} : { outputSchema: schemaOfFields(authored.fields) }),
    },
  };
}

/** Asks a caller that keeps its own context to set the variables that a session sets from the fields of an output. */
export function describeSets(sets: PromptStep['sets'] = {}): readonly string[] {
  const all = Object.entries(sets).map(([variable, field]) =>
    variable === field ? `\`${variable}\`` : `\`${variable}\` (the field \`${field}\`)`,
  );
  return all.length === 0 ? [] : [`Put these fields of the output into the context: ${all.join(', ')}.`];
}

/**
 * Composes the text for a workflow with no step left, naming the steps that only an unset variable kept from running.
 */
export function composeEnd(undecided: readonly UndecidedStep[]): string {
  if (undecided.length === 0) return 'Workflow complete.';
  const lines = undecided.map(({ stepId, variables }) => `- ${stepId} (${variables.join(', ')})`);
  return [
    'No step is left. These were skipped only because a variable was never set:',
    ...lines,
    'If one of them should have run, ask again with its variable in the context.',
  ].join('\n');
}

function isConfirmed(confirms: StepFound['node']['confirms'], context: Context): boolean {
  return typeof confirms === 'boolean' ? confirms : evaluate(confirms, context);
}

function viewOf(authored: PromptStep, instanceId: string, expand: (text: string) => string): StepView {
  const { type: _type, validationCriteria: _criteria, modelHint: _hint, ...shown } = authored;
  const { fields: _fields, sets: _sets, ...rest } = shown;
  return {
    ...withoutExtensions(rest),
    id: instanceId,
    title: expand(authored.title),
    prompt: expand(authored.prompt),
    ...(authored.agentRole === undefined ? {} : { agentRole: expand(authored.agentRole) }),
    ...(authored.guidance === undefined ? {} : { guidance: authored.guidance.map(expand) }),
  };
}

function withoutExtensions<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('x-'))) as T;
}

function openingOf(definition: StepWorkflowDefinition, expand: (text: string) => string): string[] {
  return [
    section('Throughout this workflow:', definition.metaGuidance),
    section('Before you start, these must hold:', definition.preconditions),
    section(
      'Find these out first, from the task, the code or your user. If nobody can answer, write down what you assume:',
      definition.clarificationPrompts,
    ),
  ].flatMap((text) => (text === undefined ? [] : [expand(text)]));
}

function bodyOf({ agentRole, guidance, prompt }: StepView, showsGuidance: boolean): string[] {
  const tips = showsGuidance ? undefined : section('Guidance:', guidance);
  return [
    ...(agentRole === undefined ? [] : [`Role: ${agentRole}`]),
    ...(tips === undefined ? [] : [tips]),
    prompt,
  ];
}

function section(heading: string, lines: readonly string[] | undefined): string | undefined {
  if (lines === undefined || lines.length === 0) return undefined;
  return [heading, ...lines.map((line) => `- ${line}`)].join('\n');
}

function loopBanner({ id, iteration, total }: LoopPosition): string {
  return `Loop '${id}': round ${iteration}${total === undefined ? '' : ` of ${total}`}.`;
}

function confirmationLine({ approver }: PromptStep): string {
  return approver === 'human'
    ? 'A person must confirm this step before you go on; you may not confirm it yourself.'
    : 'Ask the user to confirm this step before you go on.';
}

/**
 * Maximum number of characters that values add to one step in total. Without it, a step that names a long value many
 * times could become huge.
 */
const maxInsertedChars = 262_144;

const marker = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Creates a function that replaces `{{name.path}}` in texts of one step by values of the context: text as it is,
 * anything else as JSON. An unset variable becomes `[unset: name.path]`. Inserted text is never expanded again. `show` may
 * shorten a value.
 *
 * @see docs/authoring.md#templates
 */
export function createExpander(
  context: Context,
  show = (value: string): string => value,
): (text: string) => string {
  let left = maxInsertedChars;
  return (text) =>
    text.replace(marker, (_, path: string) => {
      const value = lookUp(context, path);
      if (value === undefined || value === null) return `[unset: ${path}]`;
      const inserted = typeof value === 'string' ? value : JSON.stringify(value);
      if (inserted.length > left) return `[too long: ${path}]`;
      left -= inserted.length;
      return show(inserted);
    });
}

/** Converts a text of a step to the syntax of checkpoint texts, in which `{name}` is a variable. */
export function asCheckpointText(text: string): string {
  return text.replace(marker, '{$1}');
}
