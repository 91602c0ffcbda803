import type { ActivityVariable, Enforcement, PromptStep, VariableDeclaration } from '@workflowlookup/schema';
import { walkSteps } from '@workflowlookup/schema';
import type { CompiledWorkflow } from './compile-workflow.ts';
import { nextStep } from './next-step.ts';
import { readProgress } from './progress.ts';

/** What is told of a workflow before it is started. */
export interface Metadata {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  readonly preconditions?: readonly string[];
  readonly clarificationPrompts?: readonly string[];
  readonly metaGuidance?: readonly string[];
  readonly variables?: readonly (ActivityVariable | VariableDeclaration)[];
  readonly enforcement?: Enforcement;
  /** Authored steps, loop bodies counted once, loops themselves not; of an activity workflow its activities. */
  readonly totalSteps: number;
}

/** Metadata and the step an empty context starts with, as its author wrote it; `null` when none is eligible. */
export interface Preview extends Metadata {
  readonly firstStep: PromptStep | null;
}

/** What a workflow tells of itself without its steps. */
export function metadataOf({ workflow: { definition } }: CompiledWorkflow): Metadata {
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
export function previewOf(compiled: CompiledWorkflow): Preview {
  const first = nextStep(compiled, readProgress(compiled, []), {});
  const firstStep = first.kind === 'step' ? { ...first.node.step, id: first.instanceId } : null;
  return { ...metadataOf(compiled), firstStep };
}
