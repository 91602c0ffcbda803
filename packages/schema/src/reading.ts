import type { Finding, Issue } from './issue.ts';
import type { Meter } from './meter.ts';
import type { StepWorkflowDefinition } from './step-workflow.ts';
import type { StepWorkflow } from './workflow.ts';

/** The text of a definition file. */
export interface DefinitionText {
  readonly text: string;
  readonly format: 'json' | 'yaml';
}

/** What reading gave: a step workflow that can be served, or none; and everything found on the way, in the order of the text. */
export interface Reading {
  readonly workflow?: StepWorkflow;
  /** The id the text names, also where it can't be served; absent when there is none that is well formed. */
  readonly id?: string;
  readonly issues: readonly Issue[];
}

/** A check beyond the schema, over a definition whose shape is right, paid from what there is for reading it. */
export type DefinitionCheck = (
  definition: StepWorkflowDefinition,
  meter?: Meter,
) => readonly Finding[] | Promise<readonly Finding[]>;

/**
 * Reads and checks a definition; what it gets wrong is in the reading, never thrown. It may take {@link maxReadingSteps};
 * where less is allowed on this thread, what runs out is `TooLongHere`.
 */
export type DefinitionReader = (source: DefinitionText, allowance?: Meter) => Promise<Reading>;
