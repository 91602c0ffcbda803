import type { Condition } from '@workflowlookup/conditions';
import { describeCondition, parseCondition } from '@workflowlookup/conditions';
import type {
  Action,
  Activity,
  ActivityLoop,
  ActivityStep,
  ConditionSource,
  LoopStep,
  PromptStep,
  Step,
  StepWorkflow,
} from '@workflowlookup/schema';
import { WorkflowError, defined } from '@workflowlookup/schema';
import { workflowMessages } from '../messages/lookup.ts';
import type { Assignment, SessionCheckpoint, PlannedLoop, PlannedStep } from './navigator.ts';

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
 * Makes a step workflow ready to decide on; once for each workflow object, however many calls follow.
 *
 * @throws WorkflowError INVALID_WORKFLOW for a condition or body reference that the checks of reading would have refused
 */
export function compileWorkflow(workflow: StepWorkflow): CompiledWorkflow {
  const nodes = compileNodes(workflow.definition.steps, []);
  const positions = new Map<string, NodePosition[]>();
  index(nodes, [], positions);
  return { workflow, nodes, positions };
}

function compileNodes(steps: readonly Step[], ancestors: readonly string[]): Node[] {
  const bodies = new Set(steps.map((step) => (step.type === 'loop' ? step.body : undefined)));
  return steps.filter(({ id }) => !bodies.has(id)).map((step) => compileNode(step, steps, ancestors));
}

function compileNode(step: Step, siblings: readonly Step[], ancestors: readonly string[]): Node {
  const runs = compileOptional(step.runCondition, step.id);
  if (step.type !== 'loop')
    return { kind: 'step', step, runs, confirms: compileConfirmation(step), requires: requirementsOf(step) };
  const within = [...ancestors, step.id];
  const body =
    typeof step.body === 'string'
      ? [compileNode(sibling(step.body, siblings, within), siblings, within)]
      : compileNodes(step.body, []);
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

/** A transition or the branch of a decision. Without a condition it is a default. */
export interface CompiledTransition {
  /** Absent for a branch of a decision that leads nowhere: the transitions decide. */
  readonly target?: string;
  readonly condition?: Condition;
  readonly when: string;
}

/** A loop over steps, over activities, or over both. */
export interface CompiledLoop extends PlannedLoop {
  readonly activities: readonly string[];
  /**
   * The activities without transitions that only the activities of the loop lead to, with the one that leads there.
   * `undefined` if several do.
   */
  readonly ends?: ReadonlyMap<string, string | undefined>;
}

/** An activity with its conditions ready to evaluate. */
export interface CompiledActivity {
  readonly name: string;
  readonly steps: readonly PlannedStep[];
  readonly checkpoints: readonly SessionCheckpoint[];
  readonly loops: readonly CompiledLoop[];
  readonly decisions: readonly { readonly id: string; readonly branches: readonly CompiledTransition[] }[];
  readonly transitions: readonly CompiledTransition[];
  readonly entry: readonly Assignment[];
  readonly exit: readonly Assignment[];
}

/**
 * Makes an activity ready to decide on.
 *
 * @throws WorkflowError INVALID_WORKFLOW for a condition that the checks of reading would have refused
 */
export function compileActivity(activity: Activity): CompiledActivity {
  const { name, steps = [], checkpoints = [], loops = [], decisions = [], transitions = [] } = activity;
  return {
    name,
    steps: steps.map(compileActivityStep),
    checkpoints: checkpoints.map(({ condition, approver = 'any', ...rest }) => ({
      ...rest,
      approver,
      ...conditionOf(condition),
    })),
    loops: loops.map(compileLoop),
    decisions: decisions.map(({ id, branches }) => ({
      id,
      branches: branches.map(({ transitionTo: target, ...rest }) => compileTransition({ target, ...rest })),
    })),
    transitions: transitions.map(({ to: target, ...rest }) => compileTransition({ target, ...rest })),
    entry: compileActions(activity.entryActions),
    exit: compileActions(activity.exitActions),
  };
}

function compileActivityStep(step: ActivityStep): PlannedStep {
  const { id, required, checkpoint, actions } = step;
  return {
    id,
    isOptional: required === false,
    conditions: [step.when, step.condition].flatMap((source) => compileOptional(source) ?? []),
    ...defined({ checkpoint }),
    ...requirementsOf(step),
    sets: compileActions(actions),
  };
}

const defaultMaxIterations = 100;

function compileLoop(loop: ActivityLoop): CompiledLoop {
  const { id, type, condition, maxIterations = defaultMaxIterations, over, variable } = loop;
  return {
    id,
    type,
    maxIterations,
    steps: (loop.steps ?? []).map(compileActivityStep),
    activities: loop.activities ?? [],
    ...conditionOf(condition),
    ...defined({ breakCondition: compileOptional(loop.breakCondition), over, variable }),
  };
}

/** Compiles a transition or branch. One with `isDefault` is a default even if it has a condition. */
function compileTransition(source: {
  readonly target: string | undefined;
  readonly condition?: ConditionSource;
  readonly isDefault?: boolean;
}): CompiledTransition {
  const { target } = source;
  const condition = source.isDefault === true ? undefined : compileOptional(source.condition);
  const when = condition === undefined ? 'default' : describeCondition(condition);
  return defined({ target, condition, when });
}

function compileActions(actions: readonly Action[] = []): readonly Assignment[] {
  return actions.flatMap(({ action, target: name, value, condition }) =>
    action !== 'set' || name === undefined || value === undefined
      ? []
      : [{ name, value, ...conditionOf(condition) }],
  );
}

/** Returns what a step of either kind of workflow requires of its output, under the names of the plan. */
function requirementsOf({
  may_be_missing: mayBeMissing,
  validationCriteria: criteria,
  fields,
  sets: fills,
  evidence,
}: Pick<
  ActivityStep,
  'may_be_missing' | 'validationCriteria' | 'fields' | 'sets' | 'evidence'
>): StepNode['requires'] {
  return {
    ...(mayBeMissing === true && { mayBeMissing }),
    ...defined({ criteria, fields, fills, evidence }),
  };
}

/** Makes a condition ready to evaluate. @throws WorkflowError INVALID_WORKFLOW that names the step, if one is given */
export function compileCondition(source: ConditionSource, step?: string): Condition {
  const parsed = parseCondition(source);
  if (parsed.ok) return parsed.condition;
  const [issue] = parsed.issues;
  throw new WorkflowError('INVALID_WORKFLOW', workflowMessages.conditionUnusable(issue?.message, step));
}

/** Makes a condition ready to evaluate, if one is given. */
export function compileOptional(source: ConditionSource | undefined, step?: string): Condition | undefined {
  return source === undefined ? undefined : compileCondition(source, step);
}

function conditionOf(source: ConditionSource | undefined): { readonly condition?: Condition } {
  return defined({ condition: compileOptional(source) });
}

/** Returns a condition as text for people. A string is shown as its author wrote it. */
export function conditionText(source: ConditionSource): string {
  if (typeof source === 'string') return source.trim();
  const parsed = parseCondition(source);
  return parsed.ok ? describeCondition(parsed.condition) : JSON.stringify(source);
}
