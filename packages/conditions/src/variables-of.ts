import type { Condition } from './condition.ts';

/** The names of the variables a condition mentions, in the order in which they first appear. */
export function variablesOf(condition: Condition): ReadonlySet<string> {
  const names = new Set<string>();
  collect(condition, names);
  return names;
}

function collect(condition: Condition, names: Set<string>): void {
  switch (condition.kind) {
    case 'constant':
      return;
    case 'not':
      return collect(condition.condition, names);
    case 'and':
    case 'or':
      for (const member of condition.conditions) collect(member, names);
      return;
    default:
      names.add(condition.variable.name);
  }
}
