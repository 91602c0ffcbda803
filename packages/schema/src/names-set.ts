import type { Activity, Checkpoint } from './activity.ts';
import type { ActivityWorkflowDefinition } from './activity-workflow.ts';
import type { VariableSetters } from './step-workflow.ts';
import { walkActions } from './walk-activity.ts';

/** Variables that the modes of a workflow set. */
export function namesSetByModes({ modes = [] }: ActivityWorkflowDefinition): readonly string[] {
  return modes.flatMap(({ defaults = {} }) => Object.keys(defaults));
}

/** Variables that the options of a checkpoint set. */
export function namesSetByOptions({ options }: Checkpoint): readonly string[] {
  return options.flatMap(({ effect }) => Object.keys(effect?.setVariable ?? {}));
}

/** Variables that answers and actions of an activity set. */
export function namesSetByEffects(activity: Activity): readonly string[] {
  const effects = (activity.checkpoints ?? []).flatMap(namesSetByOptions);
  const targets = [...walkActions(activity)].flatMap(({ action: { action, target } }) =>
    action === 'set' && target !== undefined ? [target] : [],
  );
  return [...effects, ...targets];
}

/**
 * Says of a name whether agents may set the variable anywhere: its declaration names no owner, or the workflow declares no
 * variables and so takes any name. A name with a dot in it would have to be declared.
 */
export function freeNames(
  declared: readonly { readonly name: string; readonly set_by?: VariableSetters }[] = [],
): (name: string) => boolean {
  if (declared.length === 0) return (name) => !name.includes('.');
  const free = new Set(declared.filter((one) => one.set_by === undefined).map(({ name }) => name));
  return (name) => free.has(name);
}
