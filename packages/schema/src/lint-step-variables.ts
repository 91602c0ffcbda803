import { describePlace } from './describe-place.ts';
import type { Finding } from './issue.ts';
import { namesSetBy } from './lint-templates.ts';
import type { DeclaredVariable, ShownVariable, VariableUses } from './lint-variables.ts';
import { unsetVariables, unusedVariables } from './lint-variables.ts';
import { createSuggester } from './suggester.ts';
import type { StepWorkflowDefinition } from './step-workflow.ts';
import { rootsIn, templatesOf, templatesOfStart } from './templates.ts';
import { walkSteps } from './walk-steps.ts';

/** Variables of a step workflow that nothing looks at, or that a text shows and nothing sets. */
export function lintStepVariables(definition: StepWorkflowDefinition): readonly Finding[] {
  const declared = (definition.variables ?? []).map(
    ({ name, default: value, required = false }, at): DeclaredVariable => ({
      name,
      isGiven: required || value !== undefined,
      pointer: `/variables/${at}/name`,
    }),
  );
  if (declared.length === 0) return [];
  const uses = usesOf(definition);
  const unset = unsetVariables(declared, shownIn(definition), uses);
  return [
    ...declaredTwice(declared),
    ...unknownSetters(definition),
    ...unusedVariables(declared, uses),
    ...Array.from(unset, ({ finding }) => finding),
  ];
}

/** Agents set variables at steps; an answer to a step's confirmation sets none. */
function* unknownSetters({ variables = [], steps }: StepWorkflowDefinition): Generator<Finding> {
  const ids = [...walkSteps(steps)].flatMap(({ step }) => (step.type === 'loop' ? [] : [step.id]));
  const known = new Set(['agent', ...ids]);
  const suggest = createSuggester(known);
  for (const [at, { name, set_by: setBy = [] }] of variables.entries()) {
    for (const id of typeof setBy === 'string' ? [setBy] : setBy) {
      if (known.has(id)) continue;
      yield {
        severity: 'warning',
        code: 'unknown-setter',
        pointer: `/variables/${at}/set_by`,
        message: `Variable '${name}' is set by '${id}', and nothing of that name sets variables in a step workflow`,
        suggestion: suggest(id, 'Name a step that is no loop, or agent'),
      };
    }
  }
}

function* declaredTwice(declared: readonly DeclaredVariable[]): Generator<Finding> {
  const before = new Set<string>();
  for (const { name, pointer } of declared) {
    if (!before.has(name)) {
      before.add(name);
      continue;
    }
    const message = `Variable '${name}' is declared twice`;
    const suggestion = 'Keep one of the two, or rename it';
    yield { severity: 'warning', code: 'duplicate-id', pointer, message, suggestion };
  }
}

/** What is said of a workflow to those who choose one is no use of its variables. */
function usesOf({
  steps,
  metaGuidance,
  preconditions,
  clarificationPrompts,
}: StepWorkflowDefinition): VariableUses {
  const loops = [...walkSteps(steps)].flatMap(({ step }) => (step.type === 'loop' ? [step] : []));
  return {
    anywhere: [steps, metaGuidance, preconditions, clarificationPrompts],
    texts: [],
    set: namesSetBy(loops),
  };
}

function* shownIn(definition: StepWorkflowDefinition): Generator<ShownVariable> {
  const templates = [
    ...templatesOfStart(definition),
    ...[...walkSteps(definition.steps)].flatMap(({ step, pointer }) => [...templatesOf(step, pointer)]),
  ];
  for (const { text, pointer } of templates) {
    const place = (): string => describePlace(definition, pointer);
    for (const root of rootsIn(text)) yield { root, pointer, place };
  }
}
