import type { Context } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import type {
  ActivityVariable,
  PromptStep,
  VariableDeclaration,
  JsonObject,
  SessionTexts,
  StepWorkflowDefinition,
} from '@workflowlookup/schema';
import { defined, didYouMean, unlessEmpty, walkSteps, WorkflowError } from '@workflowlookup/schema';
import { describeCriteria, schemaOfFields } from '@workflowlookup/validation';
import { headings, stepTexts } from '../messages/instructions.ts';
import { partMessages } from '../messages/lookup.ts';
import type { CompiledWorkflow } from '../navigation/compile-workflow.ts';
import type { LoopPosition, UndecidedStep, StepFound } from '../navigation/next-step.ts';
import {
  createExpander,
  nextStep,
  describeStuck,
  readProgress,
  findInstances,
} from '../navigation/next-step.ts';

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
export type JudgedStep = Pick<PromptStep, 'validationCriteria' | 'fields'>;

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
export interface Metadata extends Omit<
  StepWorkflowDefinition,
  'version' | 'variables' | 'steps' | keyof SessionTexts
> {
  readonly version: string;
  /** The variables that the workflow declares. */
  readonly variables?: readonly (ActivityVariable | VariableDeclaration)[];
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
  const { id, name, description, version = '0.0.0', steps } = definition;
  const { category, tags, preconditions, clarificationPrompts, metaGuidance, variables, enforcement } =
    definition;
  const more = { category, tags, preconditions, clarificationPrompts, metaGuidance, variables, enforcement };
  const prompts = walkSteps(steps).filter(({ step }) => step.type !== 'loop');
  return { id, name, description, version, ...defined(more), totalSteps: prompts.length };
}

/**
 * The lookup tools on a step workflow.
 *
 * @see docs/tools.md#workflow_next
 */
export function stepLookup(compiled: CompiledWorkflow): Lookup {
  return {
    metadata: () => metadataOf(compiled),
    preview() {
      const first = nextStep(compiled, readProgress(compiled, []), {});
      const firstStep = first.kind === 'step' ? { ...first.node.step, id: first.instanceId } : null;
      return { ...metadataOf(compiled), firstStep };
    },
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
  return notFound(workflow.id, 'step', stepId, didYouMean(stepId, [...positions.keys()]));
}

/** Returns the error for a step or activity that a workflow does not have, with the nearest id there is. */
export function notFound(
  workflowId: string,
  kind: 'activity' | 'step',
  id: string,
  nearest: string | undefined,
): WorkflowError {
  return new WorkflowError('STEP_NOT_FOUND', partMessages.noStep(workflowId, kind, id, nearest), {
    data: { stepId: id },
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
  const warnings = unlessEmpty(next.warnings);
  switch (next.kind) {
    case 'step': {
      const isFirst = progress.done.size === 0;
      const handout = composeInstructions(next, compiled.workflow.definition, { isFirst });
      return { ...handout, isComplete: false, ...defined({ loop: next.loop, warnings }) };
    }
    case 'complete': {
      const guidance = { prompt: stepTexts.end(next.undecided) };
      const undecided = unlessEmpty(next.undecided);
      return { step: null, guidance, isComplete: true, ...defined({ undecided, warnings }) };
    }
    case 'stuck':
    case 'exhausted': {
      const { loopId } = next;
      const variable = next.kind === 'stuck' ? next.bound.variable : undefined;
      throw new WorkflowError('INVALID_STATE', describeStuck(next), { data: defined({ loopId, variable }) });
    }
  }
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
  const { step: authored, confirms: condition } = found.node;
  const { modelHint, validationCriteria, fields } = authored;
  const confirms = typeof condition === 'boolean' ? condition : evaluate(condition, found.context);
  const step = viewOf(authored, found.instanceId, expand);
  const prompt = [
    ...(isFirst ? openingOf(definition, expand) : []),
    ...bodyOf(step, showsGuidance),
    ...(found.loop === undefined
      ? []
      : [stepTexts.loop(found.loop.id, found.loop.iteration, found.loop.total)]),
    ...(confirms ? [stepTexts.confirm(authored.approver === 'human')] : []),
    ...(inSession ? [] : describeSets(authored.sets)),
    ...(authored.askForFiles === true ? [stepTexts.askForFiles] : []),
  ].join('\n\n');
  const criteria = validationCriteria === undefined ? [] : describeCriteria(validationCriteria);
  const guidance = defined({
    prompt,
    modelHint,
    requiresConfirmation: authored.requireConfirmation === undefined ? undefined : confirms,
    validationCriteria: unlessEmpty(criteria),
    outputSchema: fields && schemaOfFields(fields),
  });
  return { step, guidance };
}

/** Asks a caller that keeps its own context to set the variables that a session sets from the fields of an output. */
export function describeSets(sets: PromptStep['sets'] = {}): readonly string[] {
  return Object.keys(sets).length === 0 ? [] : [stepTexts.putFields(sets)];
}

function viewOf(authored: PromptStep, instanceId: string, expand: (text: string) => string): StepView {
  const { type: _type, validationCriteria: _criteria, modelHint: _hint, ...shown } = authored;
  const { fields: _fields, sets: _sets, title, prompt, agentRole, guidance, ...rest } = shown;
  return {
    ...withoutExtensions(rest),
    id: instanceId,
    title: expand(title),
    prompt: expand(prompt),
    ...defined({ agentRole: agentRole && expand(agentRole), guidance: guidance?.map(expand) }),
  };
}

function withoutExtensions<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('x-'))) as T;
}

function openingOf(definition: StepWorkflowDefinition, expand: (text: string) => string): string[] {
  return [
    ...section(headings.workflowRules, definition.metaGuidance),
    ...section(headings.preconditions, definition.preconditions),
    ...section(headings.clarifications, definition.clarificationPrompts),
  ].map(expand);
}

function bodyOf({ agentRole, guidance, prompt }: StepView, showsGuidance: boolean): string[] {
  return [
    ...(agentRole === undefined ? [] : [stepTexts.role(agentRole)]),
    ...(showsGuidance ? [] : section(headings.guidance, guidance)),
    prompt,
  ];
}

/** A heading and its lines as a list; nothing without lines. */
export function section(heading: string, lines: readonly string[] = []): readonly string[] {
  return lines.length === 0 ? [] : [[heading, ...lines.map((line) => `- ${line}`)].join('\n')];
}
