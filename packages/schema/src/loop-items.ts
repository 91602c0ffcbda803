import type { ActivityWorkflow } from './activity-workflow.ts';
import { targetsOf } from './check-targets.ts';

/**
 * The names of loops' items that each activity has, by its id. The activity that has a loop sees the item. A loop over
 * activities puts it into a variable of the session, which the activities that the loop leads to see too.
 */
export function loopItems({ activities }: ActivityWorkflow): (id: string) => ReadonlySet<string> {
  const parts = new Map(activities.map(({ id, definition }) => [id, definition]));
  const items = new Map<string, Set<string>>();
  for (const [host, { loops = [] }] of parts) {
    for (const { variable, activities: entered = [] } of loops) {
      if (variable === undefined) continue;
      const inside = new Set(entered);
      for (const id of inside) {
        const part = id === host ? undefined : parts.get(id);
        for (const target of part === undefined ? [] : targetsOf(part)) inside.add(target.id);
      }
      for (const id of [host, ...inside]) items.set(id, (items.get(id) ?? new Set()).add(variable));
    }
  }
  return (id) => items.get(id) ?? none;
}

const none: ReadonlySet<string> = new Set();
