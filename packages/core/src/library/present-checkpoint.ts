import type { Context } from '@workflowlookup/conditions';
import type { Checkpoint, CheckpointOption } from '@workflowlookup/schema';
import { fillQuestion } from './fill-variables.ts';
import { toToon } from './to-toon.ts';

/** A checkpoint as it is shown: the whole definition, its texts with the variables in them. */
export function presentCheckpoint(checkpoint: Checkpoint, variables: Context): Checkpoint {
  const fill = (text: string): string => fillQuestion(text, variables);
  const option = (written: CheckpointOption): CheckpointOption => ({
    ...written,
    label: fill(written.label),
    ...(written.description !== undefined && { description: fill(written.description) }),
  });
  return {
    ...checkpoint,
    name: fill(checkpoint.name),
    message: fill(checkpoint.message),
    options: checkpoint.options.map(option),
  };
}

/** {@link presentCheckpoint} in TOON. */
export function checkpointText(checkpoint: Checkpoint, variables: Context): Promise<string> {
  return toToon(presentCheckpoint(checkpoint, variables));
}
