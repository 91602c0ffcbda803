import type { Activity } from './activity.ts';
import type { ActivityWorkflow } from './activity-workflow.ts';
import { usesInTexts } from './check-variables.ts';
import { inActivity } from './file-finding.ts';
import type { FileFinding } from './file-finding.ts';
import { loopItems } from './loop-items.ts';
import { namesSetByEffects, namesSetByModes } from './names-set.ts';

/** Names that loops of activities give their items, and that hide a variable. */
export function* checkLoopNames(workflow: ActivityWorkflow): Generator<FileFinding> {
  const held = heldElsewhere(workflow);
  for (const part of workflow.activities) {
    for (const [at, { id, variable, over }] of (part.definition.loops ?? []).entries()) {
      if (variable === undefined || (variable !== over && !held.has(variable))) continue;
      const hidden = variable === over ? 'its own list' : `the variable '${variable}'`;
      yield {
        ...inActivity(part, `/loops/${at}/variable`),
        severity: 'warning',
        code: 'shadowed-name',
        message: `The item '${variable}' of loop '${id}' hides ${hidden}`,
        suggestion: 'Choose a name that nothing else has',
      };
    }
  }
}

/** Declared variables that are more than the item of a loop: they have a value from elsewhere, or are shown where no loop sets them. */
function heldElsewhere(workflow: ActivityWorkflow): ReadonlySet<string> {
  const { activities, definition } = workflow;
  const itemsAt = loopItems(workflow);
  const others = new Set([
    ...namesSetByModes(definition),
    ...activities.flatMap((part) => [
      ...namesSetByEffects(part.definition),
      ...shownBeside(part.definition, itemsAt(part.id)),
    ]),
  ]);
  return new Set(
    (definition.variables ?? [])
      .filter(
        ({ name, defaultValue, required }) => required || defaultValue !== undefined || others.has(name),
      )
      .map(({ name }) => name),
  );
}

function shownBeside(activity: Activity, items: ReadonlySet<string>): readonly string[] {
  return Array.from(usesInTexts(activity), ({ name }) => name.split('.', 1)[0] ?? '').filter(
    (root) => !items.has(root),
  );
}
