import type { Activity, Checkpoint } from './activity.ts';
import type { ActivityWorkflowDefinition } from './activity-workflow.ts';
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
