import type { Context } from '@workflowlookup/conditions';
import { defined, unlessEmpty } from '@workflowlookup/schema';
import { shortLine } from '../library/texts.ts';
import { missingList } from '../session/outputs/loop-iterations.ts';
import { setters } from '../session/ownership.ts';
import { rootOf } from '../session/session-state.ts';
import type { CompiledWorkflow, Node, StepNode } from './compile-workflow.ts';
import {
  asCheckpointText,
  createExpander,
  plannedIterations,
  findInstances,
  parseInstanceId,
  stepIdOf,
  readProgress,
  iterationPrefix,
  stepAt,
  describeStuck,
  runningLoops,
  nextStep,
} from './next-step.ts';
import type { NextStep, StepFound, Progress } from './next-step.ts';
import type {
  Frontier,
  SessionCheckpoint,
  Navigator,
  OpenLoop,
  ActivityPlan,
  PlannedLoop,
  SessionPosition,
} from './navigator.ts';
import { passedInSequence } from './passed-checkpoints.ts';
import { confirmationTexts } from '../messages/instructions.ts';
import { transitionTexts } from '../messages/sessions.ts';

/** The id of the checkpoint that a step's `requireConfirmation` adds. */
const confirmationCheckpoint = 'confirm';

/**
 * Creates the navigator of a step workflow. Each step is an activity with its instance id, and `nextStep` computes the
 * next one.
 *
 * @see docs/sessions.md#step-workflows
 */
export function sequenceNavigator(compiled: CompiledWorkflow): Navigator {
  const { id, digest, definition } = compiled.workflow;
  return {
    workflow: { id, version: definition.version ?? '0.0.0', title: definition.name, digest },
    enforcement: definition.enforcement ?? 'advisory',
    variables: (definition.variables ?? []).map(({ name, type, default: value, set_by: setBy }) => ({
      name,
      type,
      ...defined({ value }),
      ...setters(setBy),
    })),
    // A step workflow has no modes.
    modes: [],
    required: [],
    find: (name, at) => findStep(compiled, name, at),
    absence: () => undefined,
    ahead: (at) => describe(stepAfter(compiled, at)),
    past: () => [],
    settledNext: (activityId) => settledNext(compiled, activityId),
    place: (activityId, { variables }) => placeOf(compiled, activityId, variables),
    leadsTo: (from, to, at) =>
      from === to || (sharesLoop(from, to) && (at === undefined || isToCome(compiled, from, to, at))),
    asksAgain: ({ activity }, _to, opened) => asksAgain(compiled, activity, opened),
    // A transition never leads to a step that is done.
    awaits: ({ activity }, done) => stepAwaited(compiled, activity, done),
    // Only loops lead back, and no answer sets a variable that they read.
    readBeforeReturn: () => [],
    personsCheckpoint(activityId, gates) {
      const node = stepAt(compiled, activityId, {})?.node;
      const isAsked = node !== undefined && node.confirms !== false;
      return isAsked && (gates === 'human' || node.step.approver === 'human')
        ? confirmationCheckpoint
        : undefined;
    },
    sendsToPerson: () => false,
    passedBy: passedInSequence(compiled),
    // The iterations of its loops are in the ids of the steps.
    loopsAt: () => undefined,
    loopsAfter: () => undefined,
    openLoops: (at) => openLoops(compiled, at),
    sets: () => [],
  };
}

/** Returns the step after a step outside of loops, if it has no condition. Without a target it is the end. */
function settledNext({ nodes }: CompiledWorkflow, id: string): { readonly target?: string } | undefined {
  const position = nodes.findIndex(({ kind, step }) => kind === 'step' && step.id === id);
  if (position === -1) return undefined;
  const next = nodes[position + 1];
  if (next === undefined) return {};
  return next.kind === 'step' && next.runs === undefined ? { target: next.step.id } : undefined;
}

/** Returns whether a step is in a loop around another, or is the same step of another iteration. */
function sharesLoop(from: string, to: string): boolean {
  const [one, other] = [parseInstanceId(from), parseInstanceId(to)];
  const loops = new Set(one?.iterations.map(({ loopId }) => loopId));
  return other?.iterations.some(({ loopId }) => loops.has(loopId)) === true;
}

/**
 * Returns whether a step asks in every iteration of exactly the loops that the other step is in, so that neither is
 * reached without it.
 */
function asksAgain({ positions }: CompiledWorkflow, asking: string, opened: string): boolean {
  const [own = [], others = []] = [asking, opened].map((id) => positions.get(stepIdOf(id)) ?? []);
  const loops = own[0]?.loops ?? [];
  return (
    own.every(({ node }) => node.kind === 'step' && node.runs === undefined && node.confirms === true) &&
    [...own, ...others].every(
      (one) => one.loops.length === loops.length && one.loops.every((loop, at) => loop === loops[at]),
    )
  );
}

/**
 * Returns whether a step will be reached in another iteration once the session is at `from`, which may be that
 * iteration of it.
 */
function isToCome(compiled: CompiledWorkflow, from: string, to: string, at: SessionPosition): boolean {
  const stepId = stepIdOf(to);
  const done = doneAt(at);
  if (parseInstanceId(from)?.stepId === stepId && !done.includes(from)) return true;
  const only = { ...compiled, nodes: pathTo(stepId, compiled.nodes) };
  return nextStep(only, readProgress(compiled, [...done, from]), at.variables).kind === 'step';
}

/**
 * Returns whether the step or loop after a step is still to be done. After the last step of an iteration, that is the one
 * after the loop.
 */
function stepAwaited(
  compiled: CompiledWorkflow,
  id: string,
  done: readonly string[],
): 'same' | 'outer' | undefined {
  const [instance] = findInstances(compiled, id);
  if (instance === undefined) return undefined;
  const { position, iterations } = instance;
  let { node } = position;
  for (let depth = position.loops.length; depth >= 0; depth -= 1) {
    const around = position.loops[depth - 1];
    const siblings = around?.body ?? compiled.nodes;
    const next = siblings[siblings.indexOf(node) + 1];
    if (next !== undefined) {
      const enclosing = position.loops
        .slice(0, depth)
        .map(({ step }, at) => ({ loopId: step.id, iteration: iterations[at] ?? 0 }));
      if (isOver(next, enclosing.reduce(iterationPrefix, ''), new Set(done))) return undefined;
      return depth === position.loops.length ? 'same' : 'outer';
    }
    if (around !== undefined) node = around;
  }
  return undefined;
}

/**
 * Returns whether all work of a step or a loop is done, whatever the variables become. Only a loop with a fixed number of
 * iterations can't get another one.
 */
function isOver(node: Node, prefix: string, done: ReadonlySet<string>): boolean {
  if (node.kind === 'step') return done.has(prefix + node.step.id);
  const { id, loop } = node.step;
  if (loop.type !== 'for' || typeof loop.count !== 'number') return false;
  return Array.from({ length: Math.min(loop.count, loop.maxIterations) }).every((_, iteration) =>
    node.body.every((inner) => isOver(inner, iterationPrefix(prefix, { loopId: id, iteration }), done)),
  );
}

/** A step with the loops around it, without the other steps. */
function pathTo(stepId: string, nodes: readonly Node[]): readonly Node[] {
  return nodes.flatMap((node): readonly Node[] => {
    if (node.kind === 'step') return node.step.id === stepId ? [node] : [];
    const body = pathTo(stepId, node.body);
    return body.length === 0 ? [] : [{ ...node, body }];
  });
}

function stepAfter(compiled: CompiledWorkflow, at: SessionPosition): NextStep {
  return nextStep(compiled, progressOf(compiled, at), at.variables);
}

function progressOf(compiled: CompiledWorkflow, at: SessionPosition): Progress {
  return readProgress(compiled, doneAt(at));
}

function doneAt({ completed, current }: SessionPosition): readonly string[] {
  return current === undefined ? completed : [...completed, current];
}

/**
 * Returns the running loops that take their iterations from a variable of the session and not from the item of an outer
 * loop. A loop whose number of iterations is unknown is left out, because its variable can still be set.
 */
function openLoops(compiled: CompiledWorkflow, at: SessionPosition): readonly OpenLoop[] {
  return runningLoops(compiled, progressOf(compiled, at), at).flatMap(
    ({ node, inner }): readonly OpenLoop[] => {
      const { id, loop } = node.step;
      const { type, items, count } = loop;
      const over = type === 'forEach' ? items : count;
      if (typeof over !== 'string' || inner.has(rootOf(over))) return [];
      const isKnown = !('needed' in plannedIterations(loop, at.variables));
      return isKnown ? [{ loop: id, over, kind: type === 'forEach' ? 'list' : 'count' }] : [];
    },
  );
}

const nextInOrder = transitionTexts.nextStep();

function describe(next: NextStep): Frontier {
  const { warnings: remarks } = next;
  switch (next.kind) {
    case 'step':
      return {
        moves: [{ target: next.instanceId, when: nextInOrder, holds: true, undecided: [], sets: [] }],
        remarks,
      };
    case 'complete':
      return { moves: [], remarks };
    case 'stuck':
    case 'exhausted':
      return { moves: [], obstacle: describeStuck(next), remarks };
  }
}

/** Resolves a bare id to the next step if that has this id, else to the first iteration of its loops. */
function findStep(compiled: CompiledWorkflow, name: string, at: SessionPosition): string | undefined {
  const found = stepAt(compiled, name, {})?.instanceId;
  if (found === undefined || found === name) return found;
  const next = stepAfter(compiled, at);
  return next.kind === 'step' && next.instanceId.endsWith(`::${name}`) ? next.instanceId : found;
}

function placeOf(compiled: CompiledWorkflow, id: string, variables: Context): ActivityPlan {
  const found = stepAt(compiled, id, variables);
  return found === undefined
    ? { id, name: id, steps: [], loops: [], checkpoints: [], context: variables }
    : placeAt(found, loopsAround(compiled, found));
}

type LoopAround = Pick<PlannedLoop, 'id' | 'over' | 'variable'>;

/** The loops around a step that run over a list. A step that several loops name as their body has a node in each. */
function loopsAround({ positions }: CompiledWorkflow, { node }: StepFound): readonly LoopAround[] {
  const { loops = [] } = positions.get(node.step.id)?.find((position) => position.node === node) ?? {};
  return loops.flatMap(({ step: { id, loop } }) =>
    loop.items === undefined ? [] : [{ id, over: loop.items, variable: loop.itemVar ?? 'currentItem' }],
  );
}

function placeAt({ instanceId: id, node, context }: StepFound, around: readonly LoopAround[]): ActivityPlan {
  const [missing] = around.flatMap((loop) => missingList({ ...loop, type: 'forEach' }, context) ?? []);
  const checkpoints = node.confirms === false ? [] : [confirmationOf(node)];
  const step = {
    id,
    isOptional: false,
    conditions: [],
    ...(checkpoints.length > 0 && { checkpoint: confirmationCheckpoint }),
    ...node.requires,
    sets: [],
  };
  return {
    id,
    name: createExpander(context, shortLine)(node.step.title),
    steps: [step],
    loops: [],
    checkpoints,
    context,
    ...defined({ around: unlessEmpty(around), missing }),
  };
}

function confirmationOf({ step, confirms }: StepNode): SessionCheckpoint {
  const { approver = 'any', reversible } = step;
  const title = asCheckpointText(step.title);
  return {
    id: confirmationCheckpoint,
    name: confirmationTexts.name(title),
    message: confirmationTexts.question(title),
    ...(typeof confirms !== 'boolean' && { condition: confirms }),
    options: [
      { id: 'confirm', label: confirmationTexts.confirm },
      { id: 'revise', label: confirmationTexts.revise, description: confirmationTexts.revised },
    ],
    approver,
    ...(reversible === true && { reversible, defaultOption: 'confirm' }),
    revision: 'revise',
  };
}
