import type { Context } from '@workflowlookup/conditions';
import { evaluate, lookUp } from '@workflowlookup/conditions';
import type { JsonObject, PromptStep, StepWorkflowDefinition } from '@workflowlookup/schema';
import { describeCriteria, schemaOfFields } from '@workflowlookup/validation';
import type { LoopPosition, StepFound, UndecidedStep } from '../steps/next-step.ts';

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

/** Characters that values may add to one step in all, so that a long value named often can't swell an answer. */
const maxInsertedChars = 262_144;

const marker = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Creates a function that replaces `{{name.path}}` in texts of one step by values of the context: text as it is,
 * anything else as JSON. An unset variable becomes `[unset: name.path]`. Inserted text is never expanded again.
 *
 * @see docs/authoring.md#templates
 */
export function createExpander(context: Context): (text: string) => string {
  let left = maxInsertedChars;
  return (text) =>
    text.replace(marker, (_, path: string) => {
      const value = lookUp(context, path);
      if (value === undefined || value === null) return `[unset: ${path}]`;
      const inserted = typeof value === 'string' ? value : JSON.stringify(value);
      if (inserted.length > left) return `[too long: ${path}]`;
      left -= inserted.length;
      return inserted;
    });
}

/** Converts a text of a step to the syntax of checkpoint texts, in which `{name}` is a variable. */
export function asCheckpointText(text: string): string {
  return text.replace(marker, '{$1}');
}
