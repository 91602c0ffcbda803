import type { Question, Task, TaskStep, TaskVariable } from '@workflowlookup/core/operator';
import type { Json } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { messages } from '../messages.ts';

export interface RequiredStep {
  readonly task: Task;
  readonly step: TaskStep;
  /** An earlier draft of the output. */
  readonly draft?: string;
  /** Why that draft was refused. */
  readonly issues?: readonly string[];
}

export interface Work {
  readonly output: string;
  readonly variables?: Readonly<Record<string, Json>>;
  /** The step that was done, if it is not the required one: an optional step. */
  readonly step?: string;
  /** The activity to enter, if several transitions are open. */
  readonly activity?: string;
  /** Whether to submit the output although its criteria refuse it, which an advisory session allows. */
  readonly isForced?: true;
}

/** The source of the work: a person at a terminal, or prepared lines. `undefined` means that the work stops here. */
export interface Guide {
  /** Whether to ask again after a refusal. */
  readonly mayTryAgain: boolean;
  work(required: RequiredStep): Promise<Work | undefined>;
  answer(question: Question): Promise<string | undefined>;
  chooseActivity(task: Task, activities: readonly string[]): Promise<string | undefined>;
}

/**
 * Reads the value of a variable that a person typed: a string as it is, anything else as JSON.
 *
 * @throws WorkflowError INVALID_INPUT
 */
export function readVariable({ name, type }: Pick<TaskVariable, 'name' | 'type'>, typed: string): Json {
  if (type === 'string') return typed;
  const value = readJson(typed);
  const found = Array.isArray(value) ? 'array' : typeof value;
  if (value !== undefined && (value === null || found === type)) return value;
  throw new WorkflowError('INVALID_INPUT', messages.options.variable(name, type, examples[type] ?? '{}'));
}

const examples: Readonly<Record<string, string>> = {
  array: '["a", "b"]',
  boolean: 'true',
  number: '3',
  object: '{"a": 1}',
};

/** Returns the value of a JSON text, or `undefined` if it is not JSON. */
export function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
