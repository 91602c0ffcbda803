import type { Json } from '@workflowlookup/schema';
import { evaluate } from '@workflowlookup/conditions';
import type { Mode, Navigator } from './navigator.ts';
import type { SessionState } from './session-state.ts';

/** The values of a workflow's variables before anybody set one. */
export function initialVariables({ variables }: Navigator): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  );
}

/** What is wrong with values a caller sets: names nobody declared (where the workflow declares any), and wrong types. */
export function checkVariables(
  { variables }: Navigator,
  values: Readonly<Record<string, Json>>,
): readonly string[] {
  if (variables.length === 0) return [];
  return Object.entries(values).flatMap(([name, value]) => {
    const declared = variables.find((variable) => variable.name === name);
    if (declared === undefined) return [`The variable '${name}' is not declared by the workflow.`];
    const found = typeOf(value);
    return found === declared.type || value === null
      ? []
      : [`The variable '${name}' is of type ${declared.type}, found ${found}.`];
  });
}

function typeOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

/** The modes in force: those whose variable is true. */
export function activeModes({ modes }: Navigator, variables: SessionState['variables']): readonly Mode[] {
  return modes.filter(({ activation }) => evaluate(activation, variables));
}

/** Values with the defaults of the modes they bring into force, where nobody set the variable. */
export function withModeDefaults(
  navigator: Navigator,
  state: SessionState,
  values: Readonly<Record<string, Json>>,
): Readonly<Record<string, Json>> {
  const after = { ...state.variables, ...values };
  const before = new Set(activeModes(navigator, state.variables).map(({ id }) => id));
  const fresh = activeModes(navigator, after).filter(({ id }) => !before.has(id));
  const taken = new Set([...state.assigned, ...Object.keys(values)]);
  const filled = fresh
    .flatMap(({ defaults }) => Object.entries(defaults))
    .filter(([name]) => !taken.has(name));
  return { ...Object.fromEntries(filled), ...values };
}

/** Activities passed over now: those that answers took out, and those of the modes in force. */
export function skippedActivities(
  navigator: Navigator,
  skipped: readonly string[],
  variables: SessionState['variables'],
): ReadonlySet<string> {
  return new Set([
    ...skipped,
    ...activeModes(navigator, variables).flatMap(({ skipActivities }) => skipActivities),
  ]);
}
