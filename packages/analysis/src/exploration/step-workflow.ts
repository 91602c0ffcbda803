import type { Condition } from '@workflowlookup/conditions';
import { describeCondition, evaluate } from '@workflowlookup/conditions';
import type { CompiledWorkflow, LoopNode, NextStep, Node, Progress } from '@workflowlookup/core/decisions';
import {
  compileWorkflow,
  sequenceNavigator,
  rootOf,
  parseInstanceId,
  stepIdOf,
  iterationPrefix,
  readProgress,
  findInstances,
  searchNext,
  stepAt,
} from '@workflowlookup/core/decisions';
import type {
  LoopSpec,
  Step,
  StepWorkflow,
  StepWorkflowDefinition,
  WalkedStep,
} from '@workflowlookup/schema';
import { conditionsOfStep, walkSteps } from '@workflowlookup/schema';
import type { StateTransition } from '../unstored-session.ts';
import type {
  BoundedLoop,
  Branch,
  BranchResult,
  Mention,
  Outcomes,
  Site,
  StateGraph,
  SymbolicState,
  VariableUsage,
} from './state-graph.ts';
import { labels } from '../messages.ts';
import { textOfSets } from './problems.ts';
import type { Clause } from './variable-values.ts';
import { compileConditions, namesRead } from './variable-values.ts';

/** Creates the state graph of a step workflow. Its sites are its steps, including loops. */
export function stepStateGraph(workflow: StepWorkflow): StateGraph {
  const compiled = compileWorkflow(workflow);
  const walked = walkSteps(workflow.definition.steps);
  const around = loopsAround(walked);
  const paths = stepPaths(compiled);
  const boundedLoops = new Map(walked.flatMap(circlesIn).map((boundedLoop) => [boundedLoop.id, boundedLoop]));
  return {
    navigator: sequenceNavigator(compiled),
    sites: walked.map((one): Site => siteAt(one, around)),
    branches: walked.flatMap(branchesAt),
    boundedLoops: [...boundedLoops.values()],
    usage: stepVariableUsage(workflow.definition),
    siteOf: stepIdOf,
    reads: createStepReads(compiled),
    relevantPartOf: createStepRelevance(compiled),
    *reachedBy({ event }) {
      if (event.type !== 'activity-entered') return;
      const site = stepIdOf(event.activity);
      yield site;
      for (const { id } of around.get(site) ?? []) yield id;
    },
    resultsOf: (transition, outcomes) => resultsOfMove(paths, transition, outcomes),
    endedBy: (transition) =>
      loopsLeft(compiled, transition).flatMap(({ step }) => boundedLoops.get(step.id) ?? []),
  };
}

/** The loops around each step, those included that name it as their body. */
function loopsAround(walked: readonly WalkedStep[]): ReadonlyMap<string, readonly Step[]> {
  const all = walked.map(({ step }) => step);
  const naming = (id: string): readonly Step[] =>
    all.filter((step) => step.type === 'loop' && step.body === id);
  return new Map(walked.map(({ step, loops }) => [step.id, [...loops, ...naming(step.id)]]));
}

function siteAt({ step, pointer }: WalkedStep, around: ReadonlyMap<string, readonly Step[]>): Site {
  const within = around.get(step.id)?.at(-1)?.id;
  return {
    id: step.id,
    kind: step.type ?? 'step',
    label: labels.part(step.type ?? 'step', step.id),
    pointer,
    ...(within === undefined ? {} : { within }),
  };
}

function branchesAt({ step, pointer: place }: WalkedStep): readonly Branch[] {
  return compileConditions(conditionsOfStep(step)).map(({ condition, pointer }) => ({
    kind: 'condition',
    site: step.id,
    pointer: place + pointer,
    text: describeCondition(condition),
    names: namesRead([condition]),
    decides: decidedAt(step, pointer),
  }));
}

function decidedAt(step: Step, pointer: string): Branch['decides'] {
  if (pointer === '/runCondition') return 'site';
  if (pointer !== '/loop/condition' || step.type !== 'loop') return 'other';
  return step.loop.type === 'until' ? 'end' : 'loop';
}

function circlesIn({ step, pointer }: WalkedStep): readonly BoundedLoop[] {
  if (step.type !== 'loop' || step.loop.condition === undefined) return [];
  const { id, loop } = step;
  return [{ id, entrance: id, pointer: `${pointer}/loop`, maxIterations: loop.maxIterations }];
}

function stepVariableUsage(definition: StepWorkflowDefinition): VariableUsage {
  const walked = walkSteps(definition.steps);
  const loops = walked.flatMap(({ step }) => (step.type === 'loop' ? [step.loop] : []));
  const { metaGuidance = [], preconditions = [], clarificationPrompts = [] } = definition;
  const declared = definition.variables ?? [];
  return {
    declared: declared.map(({ name, type, default: value, required = false }) => ({
      name,
      type,
      required,
      ...(value === undefined ? {} : { value }),
    })),
    conditions: walked.flatMap(({ step }) =>
      compileConditions(conditionsOfStep(step)).map(({ condition }) => condition),
    ),
    lists: loops.flatMap((loop) =>
      loop.type === 'forEach' && loop.items !== undefined ? [{ name: loop.items, item: itemName(loop) }] : [],
    ),
    counts: loops.flatMap(({ type, count }) => (type === 'for' && typeof count === 'string' ? [count] : [])),
    local: new Set(loops.flatMap(namesOfLoop)),
    assigned: [],
    switches: [],
    mentions: walked.flatMap(mentionsIn).filter(({ root }) => isOurs(root, declared)),
    texts: [...metaGuidance, ...preconditions, ...clarificationPrompts],
    textsAt: new Map(
      walked.map(({ step }) => [
        step.id,
        [...textsOf(step).map(({ text }) => text), ...(step.type === 'loop' ? [] : textOfSets(step))],
      ]),
    ),
    hasTextsElsewhere: false,
  };
}

/** If a workflow declares variables, undeclared names don't count, because lint reports them in templates. */
function isOurs(root: string, declared: readonly { readonly name: string }[]): boolean {
  return declared.length === 0 || declared.some(({ name }) => name === root);
}

function itemName({ itemVar = 'currentItem' }: LoopSpec): string {
  return itemVar;
}

function namesOfLoop(loop: LoopSpec): readonly string[] {
  const { iterationVar = 'currentIteration', indexVar = 'currentIndex' } = loop;
  return [iterationVar, indexVar, ...(loop.type === 'forEach' ? [itemName(loop)] : [])];
}

function textsOf(step: Step): readonly { readonly text: string; readonly pointer: string }[] {
  if (step.type === 'loop') return [{ text: step.title, pointer: '/title' }];
  const { title, prompt, agentRole, guidance = [] } = step;
  return [
    { text: title, pointer: '/title' },
    { text: prompt, pointer: '/prompt' },
    ...(agentRole === undefined ? [] : [{ text: agentRole, pointer: '/agentRole' }]),
    ...guidance.map((text, at) => ({ text, pointer: `/guidance/${at}` })),
  ];
}

function mentionsIn({ step, pointer }: WalkedStep): readonly Mention[] {
  if (step.type === 'loop') return [];
  return textsOf(step).flatMap((part) =>
    [...part.text.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g)].map(([, name = '']) => ({
      root: rootOf(name),
      site: step.id,
      pointer: pointer + part.pointer,
    })),
  );
}

/** A node of the outermost list, with the names in it. */
interface Reach {
  readonly node: Node;
  readonly names: ReadonlySet<string>;
  readonly sites: readonly string[];
}

/**
 * Computes the relevant part of a state of a step workflow. A skipped step may still run as long as a variable in its
 * condition can change. After that it counts as done.
 */
function createStepRelevance(compiled: CompiledWorkflow): StateGraph['relevantPartOf'] {
  const all = compiled.nodes.map((node): Reach => ({
    node,
    names: new Set([...namesBefore(node), ...namesDuring(node)]),
    sites: sitesIn(node),
  }));
  return (symbolic, settersAt) => {
    const { current, completed } = symbolic.state;
    const progress = readProgress(compiled, completed);
    const site = current === undefined ? undefined : stepIdOf(current);
    const left = all.filter(({ node }) => !progress.done.has(node.step.id));
    const ahead = mayCome(left, symbolic, settersAt).concat(
      left.filter(({ sites }) => site !== undefined && sites.includes(site)),
    );
    return {
      progress: [current, [...new Set(ahead.map(({ node }) => node.step.id))], stepsOfIterations(progress)],
      names: new Set(ahead.flatMap(({ names }) => [...names])),
    };
  };
}

function sitesIn(node: Node): readonly string[] {
  return node.kind === 'step' ? [node.step.id] : node.body.flatMap(sitesIn);
}

/** Returns the nodes whose condition is true, or may become true because other nodes can set its variables. */
function mayCome(
  left: readonly Reach[],
  { state, free }: SymbolicState,
  settersAt: (site: string) => ReadonlySet<string>,
): readonly Reach[] {
  const changing = new Set(free);
  const ahead = new Set<Reach>();
  for (let before = -1; before < ahead.size;) {
    before = ahead.size;
    for (const reach of left) {
      const { runs } = reach.node;
      const isOpen =
        runs === undefined ||
        namesRead([runs]).some((name) => changing.has(name)) ||
        evaluate(runs, state.variables);
      if (ahead.has(reach) || !isOpen) continue;
      ahead.add(reach);
      for (const site of reach.sites) for (const name of settersAt(site)) changing.add(name);
    }
  }
  return left.filter((reach) => ahead.has(reach));
}

/** Returns the completed steps of the current iterations of loops. A session never returns to an earlier iteration. */
function stepsOfIterations({ done, latest }: Progress): unknown {
  const inside = [...done].filter((id) => id.includes('@') && isInLatestIteration(id, latest));
  const iterations = [...latest].map(([loop, iteration]) => `${loop}@${iteration}`);
  return [iterations.toSorted(), inside.toSorted()];
}

function isInLatestIteration(id: string, latest: Progress['latest']): boolean {
  let prefix = '';
  return (parseInstanceId(id)?.iterations ?? []).every((one) => {
    const isLatest = latest.get(prefix + one.loopId) === one.iteration;
    prefix = iterationPrefix(prefix, one);
    return isLatest;
  });
}

/**
 * Returns the variables that decide the next step: whether the current one must be confirmed, and the names read by the
 * steps that may come next. A step whose condition is decided hides the steps inside or after it.
 */
function createStepReads({ nodes, positions }: CompiledWorkflow): StateGraph['reads'] {
  const inside = new Map(nodes.map((node) => [node, new Set(namesBefore(node))]));
  const confirming = new Map(
    [...positions].map(([id, [first]]) => [id, first === undefined ? [] : namesConfirming(first.node)]),
  );
  return function* reads(symbolic) {
    const { current, completed } = symbolic.state;
    if (current !== undefined) yield* confirming.get(stepIdOf(current)) ?? [];
    const done = new Set(current === undefined ? completed : [...completed, current]);
    for (const node of nodes) {
      if (done.has(node.step.id)) continue;
      const comes = howItComes(node, symbolic);
      yield* node.runs === undefined ? [] : namesRead([node.runs]);
      if (comes !== 'never') yield* inside.get(node) ?? [];
      if (comes === 'surely' && node.kind === 'step') return;
    }
  };
}

function howItComes({ runs }: Node, { state, free }: SymbolicState): 'maybe' | 'never' | 'surely' {
  if (runs === undefined) return 'surely';
  if (namesRead([runs]).some((name) => free.has(name))) return 'maybe';
  return evaluate(runs, state.variables) ? 'surely' : 'never';
}

/** Returns the names read before a step, or any step in a loop, begins. */
function* namesBefore(node: Node): Generator<string> {
  if (node.runs !== undefined) yield* namesRead([node.runs]);
  if (node.kind === 'step') return;
  const { items, count } = node.step.loop;
  if (items !== undefined) yield items;
  if (typeof count === 'string') yield count;
  if (node.condition !== undefined) yield* namesRead([node.condition]);
  for (const inner of node.body) yield* namesBefore(inner);
}

/** Returns the names read while a step, or any step in a loop, is done. */
function* namesDuring(node: Node): Generator<string> {
  yield* namesOnLeaving(node);
  if (node.kind === 'loop') for (const inner of node.body) yield* namesDuring(inner);
}

function namesConfirming(node: Node): readonly string[] {
  return node.kind === 'loop' || typeof node.confirms === 'boolean' ? [] : namesRead([node.confirms]);
}

function namesOnLeaving({ step }: Node): readonly string[] {
  return namesRead(clausesDuring(step).map(({ condition }) => condition));
}

/** A step workflow, and the locations of its steps. */
interface StepPaths {
  readonly compiled: CompiledWorkflow;
  readonly pointers: ReadonlyMap<string, string>;
  /** By step: conditions that are evaluated while the step is done but do not decide whether it is done. */
  readonly during: ReadonlyMap<string, readonly Clause[]>;
}

/** Makes a step workflow ready. */
function stepPaths(compiled: CompiledWorkflow): StepPaths {
  const walked = walkSteps(compiled.workflow.definition.steps);
  return {
    compiled,
    pointers: new Map(walked.map(({ step, pointer }) => [step.id, pointer])),
    during: new Map(walked.map(({ step }) => [step.id, clausesDuring(step)])),
  };
}

function clausesDuring(step: Step): readonly Clause[] {
  return compileConditions(conditionsOfStep(step)).filter(
    ({ pointer }) => pointer !== '/runCondition' && pointer !== '/loop/condition',
  );
}

function resultsOfMove(
  paths: StepPaths,
  transition: StateTransition,
  outcomes: Outcomes,
): readonly BranchResult[] {
  const { after, command } = transition;
  if (command.kind !== 'move') return [];
  const { compiled } = paths;
  const { next, failed } = searchNext(compiled, readProgress(compiled, after.completed), after.variables);
  return [
    ...failed.map(({ stepId, condition }) => turn(paths, stepId, keyOf(compiled, stepId, condition), false)),
    ...foundResults(paths, next),
    ...untilResults(paths, transition),
    ...resultsOnLeaving(paths, transition, outcomes),
  ];
}

function turn({ pointers }: StepPaths, stepId: string, key: string, holds: boolean): BranchResult {
  return { pointer: `${pointers.get(stepId) ?? ''}/${key}`, holds };
}

function keyOf({ positions }: CompiledWorkflow, stepId: string, condition: Condition): string {
  const nodes = positions.get(stepId) ?? [];
  const isLoop = nodes.some(({ node }) => node.kind === 'loop' && node.condition === condition);
  return isLoop ? 'loop/condition' : 'runCondition';
}

/** Returns the results of the conditions around the next step, all of which let the session reach it. */
function foundResults(paths: StepPaths, next: NextStep): readonly BranchResult[] {
  if (next.kind !== 'step') return [];
  const [instance] = findInstances(paths.compiled, next.instanceId);
  const loops = instance?.position.loops ?? [];
  return [
    ...[...loops, next.node]
      .filter(({ runs }) => runs !== undefined)
      .map(({ step }) => turn(paths, step.id, 'runCondition', true)),
    ...loops
      .filter(({ condition }) => condition !== undefined)
      .map(({ step }) => turn(paths, step.id, 'loop/condition', step.loop.type === 'while')),
  ];
}

/** Returns the result of the condition that ends a loop. */
function untilResults(paths: StepPaths, transition: StateTransition): readonly BranchResult[] {
  return loopsLeft(paths.compiled, transition)
    .filter(({ step: { loop } }) => loop.type === 'until')
    .map(({ step }) => turn(paths, step.id, 'loop/condition', true));
}

/** Returns the results of the conditions that decide whether a step must be confirmed and which of its rules apply. */
function resultsOnLeaving(
  { compiled, pointers, during }: StepPaths,
  { before: { current = '' }, after }: StateTransition,
  outcomes: Outcomes,
): readonly BranchResult[] {
  const site = stepIdOf(current);
  const clauses = during.get(site) ?? [];
  const found = clauses.length === 0 ? undefined : stepAt(compiled, current, after.variables);
  if (found === undefined) return [];
  return clauses.flatMap(({ condition, pointer }) =>
    outcomes(condition, found.context).map((holds) => ({
      pointer: (pointers.get(site) ?? '') + pointer,
      holds,
    })),
  );
}

/** Loops that a move leaves before their bound is reached. */
function loopsLeft(
  compiled: CompiledWorkflow,
  { before: { current = '' }, command, after }: StateTransition,
): readonly LoopNode[] {
  if (command.kind !== 'move') return [];
  const { iterations = [] } = parseInstanceId(current) ?? {};
  const loops = findInstances(compiled, current)[0]?.position.loops ?? [];
  let prefix = '';
  return loops.filter(({ step }, depth) => {
    const one = iterations[depth] ?? { loopId: step.id, iteration: 0 };
    const goesOn = after.current?.startsWith(`${prefix}${step.id}@`) === true;
    prefix = iterationPrefix(prefix, one);
    return !goesOn && one.iteration + 1 < step.loop.maxIterations;
  });
}
