import type { Context } from '@workflowlookup/conditions';
import { lookUp, variablesOf } from '@workflowlookup/conditions';
import { digestOf } from '@workflowlookup/schema';
import { fillVariables, namesInText } from '../library/fill-variables.ts';
import type { Gate, Navigator } from './navigator.ts';
import type { DecidedQuestion } from './session-event.ts';
import type { OpenGate } from './session-state.ts';

/** A checkpoint that waits, as it was put. */
export interface AskedQuestion {
  readonly open: OpenGate;
  readonly gate: Gate;
  /** The variables as they are seen at the checkpoint. */
  readonly context: Context;
  readonly workflow: Pick<Navigator['workflow'], 'id' | 'digest'>;
}

/**
 * What an answer decides. The digest covers everything the person saw and the checkpoint read: the texts and options with
 * the variables filled in, what each option does, the values, the definition, and the revision that asked.
 */
export function questionDecided({ open, gate, context, workflow }: AskedQuestion): DecidedQuestion {
  const { revision = 0 } = open;
  const fill = (text: string): string => fillVariables(text, context);
  const shown = namesShown(gate).filter((name) => isKnown(lookUp(context, name)));
  const read = gate.condition === undefined ? [] : [...variablesOf(gate.condition)];
  const digest = digestOf({
    checkpoint: gate.id,
    activity: open.activity,
    name: fill(gate.name),
    message: fill(gate.message),
    options: gate.options.map(({ id, label, description = '', effect = {} }) => ({
      id,
      label: fill(label),
      description: fill(description),
      effect,
    })),
    values: [...new Set([...shown, ...read])].map((name) => [name, lookUp(context, name) ?? null]),
    definition: workflow.digest,
    revision,
  });
  return { digest, revision, shown };
}

/** The variables that the texts of a checkpoint and of its options show. */
function namesShown({ name, message, options }: Gate): readonly string[] {
  const texts = [name, message, ...options.flatMap(({ label, description = '' }) => [label, description])];
  return [...new Set(texts.flatMap(namesInText))];
}

function isKnown(value: unknown): boolean {
  return value !== undefined && value !== null;
}
