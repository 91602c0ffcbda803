import type { Condition } from '@workflowlookup/conditions';
import type { LoopStep, PromptStep, Step, StepWorkflow } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { workflowMessages } from '../messages/lookup.ts';
import { compileOptional, requirementsOf } from './compile-activity.ts';
import type { PlannedStep } from './navigator.ts';

/** A prompt step with its conditions ready to evaluate. */
export interface StepNode {
  readonly kind: 'step';
  readonly step: PromptStep;
  readonly runs: Condition | undefined;
  readonly confirms: Condition | boolean;
  /** What the step requires of its output, under the names of the plan. */
  readonly requires: Pick<PlannedStep, 'mayBeMissing' | 'criteria' | 'fields' | 'fills' | 'evidence'>;
}

/** A loop with its conditions ready to evaluate and its body resolved. */
export interface LoopNode {
  readonly kind: 'loop';
  readonly step: LoopStep;
  readonly runs: Condition | undefined;
  readonly condition: Condition | undefined;
  readonly body: readonly Node[];
}

/** A place in the order of a step workflow. */
export type Node = StepNode | LoopNode;

/** The position of a step: its node, and the loops around it from the outside in. */
export interface NodePosition {
  readonly node: Node;
  readonly loops: readonly LoopNode[];
}

/** A step workflow made ready to decide on. */
export interface CompiledWorkflow {
  readonly workflow: StepWorkflow;
  /** In the order of the file. A step in the body of a loop appears only in the loop. */
  readonly nodes: readonly Node[];
  /** Every position of each authored id: one, unless several loops share a body. */
  readonly positions: ReadonlyMap<string, readonly NodePosition[]>;
}

/**
 * Makes a workflow ready to decide on; once for each workflow object, however many calls follow.
 *
 * @throws WorkflowError INVALID_WORKFLOW for a condition or body reference that the checks of reading would have refused
 */
export function compileWorkflow(workflow: StepWorkflow): CompiledWorkflow {
  const nodes = compileSteps(workflow.definition.steps, []);
  const positions = new Map<string, NodePosition[]>();
  index(nodes, [], positions);
  return { workflow, nodes, positions };
}

function compileSteps(steps: readonly Step[], ancestors: readonly string[]): Node[] {
  const bodies = new Set(steps.map((step) => (step.type === 'loop' ? step.body : undefined)));
  return steps.filter(({ id }) => !bodies.has(id)).map((step) => compileStep(step, steps, ancestors));
}

function compileStep(step: Step, siblings: readonly Step[], ancestors: readonly string[]): Node {
  const runs = compileOptional(step.runCondition, step.id);
  if (step.type !== 'loop')
    return { kind: 'step', step, runs, confirms: compileConfirmation(step), requires: requirementsOf(step) };
  const within = [...ancestors, step.id];
  const body =
    typeof step.body === 'string'
      ? [compileStep(sibling(step.body, siblings, within), siblings, within)]
      : compileSteps(step.body, []);
  return { kind: 'loop', step, runs, condition: compileOptional(step.loop.condition, step.id), body };
}

function sibling(id: string, siblings: readonly Step[], ancestors: readonly string[]): Step {
  const found = siblings.find((step) => step.id === id);
  if (found !== undefined && !ancestors.includes(id)) return found;
  throw new WorkflowError('INVALID_WORKFLOW', workflowMessages.bodyNotFound(id, ancestors.at(-1)));
}

function compileConfirmation({ id, requireConfirmation }: PromptStep): Condition | boolean {
  if (typeof requireConfirmation === 'boolean') return requireConfirmation;
  return compileOptional(requireConfirmation, id) ?? false;
}

function index(
  nodes: readonly Node[],
  loops: readonly LoopNode[],
  positions: Map<string, NodePosition[]>,
): void {
  for (const node of nodes) {
    positions.set(node.step.id, [...(positions.get(node.step.id) ?? []), { node, loops }]);
    if (node.kind === 'loop') index(node.body, [...loops, node], positions);
  }
}
