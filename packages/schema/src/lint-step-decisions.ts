import type { VariablesOf } from './check-variables.ts';
import type { Finding } from './issue.ts';
import { namesSetBy } from './lint-templates.ts';
import { freeNames } from './names-set.ts';
import { conditionsOfStep } from './step-conditions.ts';
import type { LoopStep, Step, StepWorkflowDefinition } from './step-workflow.ts';
import { walkSteps } from './walk-steps.ts';

/** A variable that decides whether a person confirms a step, and where it is read. */
interface DecidingUse {
  readonly name: string;
  readonly pointer: string;
  readonly step: string;
}

/** Variables that decide whether a person confirms a step, and that agents may set anywhere: the first use of each. */
export function* lintStepDecisions(
  definition: StepWorkflowDefinition,
  variablesOf: VariablesOf,
): Generator<Finding> {
  const isFree = freeNames(definition.variables);
  const told = new Set<string>();
  for (const { name: path, pointer, step } of decidingUses(definition, variablesOf)) {
    const name = [path, path.split('.', 1)[0] ?? ''].find((one) => isFree(one));
    if (name === undefined || told.has(name)) continue;
    told.add(name);
    yield {
      severity: 'warning',
      code: 'open-decision',
      pointer,
      message: `Variable '${name}' decides whether a person confirms step '${step}', and agents may set it anywhere`,
      suggestion: `Declare '${name}' with set_by, which says at which steps it is set, such as set_by: [id-of-a-step]`,
    };
  }
}

function* decidingUses({ steps }: StepWorkflowDefinition, variablesOf: VariablesOf): Generator<DecidingUse> {
  const all = [...walkSteps(steps)];
  const pointers = new Map(all.map(({ step, pointer }) => [step, pointer]));
  const runBy = new Map(
    all.flatMap(({ step, loops }) =>
      step.type === 'loop' && typeof step.body === 'string' ? [[step.body, [...loops, step]]] : [],
    ),
  );
  for (const { step, loops } of all) {
    if (step.type === 'loop' || step.approver !== 'human' || (step.requireConfirmation ?? false) === false)
      continue;
    const around = new Set<Step>([step, ...loops]);
    for (const one of around) for (const loop of runBy.get(one.id) ?? []) around.add(loop);
    const set = namesSetBy([...around].filter(isLoop));
    for (const one of around) {
      for (const { name, pointer } of usesOf(one, variablesOf)) {
        if (set.has(name.split('.', 1)[0] ?? '')) continue;
        yield { name, pointer: `${pointers.get(one) ?? ''}${pointer}`, step: step.id };
      }
    }
  }
}

function isLoop(step: Step): step is LoopStep {
  return step.type === 'loop';
}

/** What decides whether a step comes and is confirmed, and how often a loop runs. */
function* usesOf(step: Step, variablesOf: VariablesOf): Generator<Omit<DecidingUse, 'step'>> {
  for (const { source, pointer } of conditionsOfStep(step)) {
    if (pointer.startsWith('/validationCriteria')) continue;
    for (const name of variablesOf(source)) yield { name, pointer };
  }
  if (step.type !== 'loop') return;
  const { count, items } = step.loop;
  if (typeof count === 'string') yield { name: count, pointer: '/loop/count' };
  if (items !== undefined) yield { name: items, pointer: '/loop/items' };
}
