import type { Finding } from './issue.ts';
import { scopesOf } from './lint-templates.ts';
import type { LoopSpec, LoopStep, StepWorkflowDefinition } from './step-workflow.ts';
import { rootsIn } from './templates.ts';
import { walkSteps } from './walk-steps.ts';

type NameField = 'indexVar' | 'itemVar' | 'iterationVar';

/** A name that a loop sets in each round, and what the loop says of it. */
interface LoopName {
  readonly field: NameField;
  readonly name: string;
  readonly isChosen: boolean;
}

/** Names that a loop chooses and that hide a variable, a name of a loop around it, or another of its own. */
export function* lintLoopNames(definition: StepWorkflowDefinition): Generator<Finding> {
  let held: ReadonlySet<string> | undefined;
  const declared = new Set((definition.variables ?? []).map(({ name }) => name));
  const isHeld = (name: string): boolean =>
    declared.has(name) && (held ??= heldElsewhere(definition)).has(name);
  for (const { step, pointer, loops } of walkSteps(definition.steps)) {
    if (step.type !== 'loop') continue;
    const own = namesOf(step.loop);
    for (const [at, { field, name, isChosen }] of own.entries()) {
      const twin = own.slice(0, at).find((other) => other.name === name);
      if (!isChosen && twin?.isChosen !== true) continue;
      const hidden = twin === undefined ? hiddenBy(name, loops, isHeld) : `its own ${twin.field}`;
      if (hidden === undefined) continue;
      yield {
        severity: 'warning',
        code: 'shadowed-name',
        pointer: `${pointer}/loop${isChosen ? `/${field}` : ''}`,
        message: `The ${field} '${name}' of loop '${step.id}' hides ${hidden}`,
        suggestion: 'Choose a name that nothing else has',
      };
    }
  }
}

/** Declared variables that are more than the item of a loop: they have a value from the start, or are shown outside of it. */
function heldElsewhere(definition: StepWorkflowDefinition): ReadonlySet<string> {
  const shown = new Set<string>();
  for (const { templates, loopNames } of scopesOf(definition)) {
    for (const { text } of templates) {
      for (const root of rootsIn(text)) if (!loopNames.has(root)) shown.add(root);
    }
  }
  return new Set(
    (definition.variables ?? [])
      .filter(({ name, default: value, required }) => required || value !== undefined || shown.has(name))
      .map(({ name }) => name),
  );
}

function hiddenBy(
  name: string,
  around: readonly LoopStep[],
  isHeld: (name: string) => boolean,
): string | undefined {
  const outer = around.findLast(({ loop }) => namesOf(loop).some((other) => other.name === name));
  if (outer !== undefined) return `the '${name}' of loop '${outer.id}' around it`;
  return isHeld(name) ? `the variable '${name}'` : undefined;
}

function namesOf({ type, iterationVar, indexVar, itemVar }: LoopSpec): readonly LoopName[] {
  const named = (field: NameField, chosen: string | undefined, otherwise: string): LoopName => ({
    field,
    name: chosen ?? otherwise,
    isChosen: chosen !== undefined,
  });
  return [
    named('iterationVar', iterationVar, 'currentIteration'),
    named('indexVar', indexVar, 'currentIndex'),
    ...(type === 'forEach' ? [named('itemVar', itemVar, 'currentItem')] : []),
  ];
}
