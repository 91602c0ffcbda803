import type { Condition, Context } from '@workflowlookup/conditions';
import { evaluate, undecided } from '@workflowlookup/conditions';
import type { CompiledWorkflow, LoopNode, Node, StepNode } from './compile-workflow.ts';
import type { BadBound, Rounds, Progress } from './progress.ts';
import { namesIn, plannedRounds, roundContext, roundPrefix, warnOfUnknown } from './progress.ts';
import { nextMessages } from '../messages/lookup.ts';

/** Rounds one call may look through before it gives up: bodies that are skipped whole can nest. */
const maxRoundsScanned = 100_000;

/** The innermost loop around a step. */
export interface LoopPosition {
  readonly id: string;
  /** From 1, as a person counts. */
  readonly iteration: number;
  /** From 0, as in the instance id. */
  readonly index: number;
  /** Absent if a condition decides how many rounds the loop has. */
  readonly total?: number;
  /** forEach: the item of this round. */
  readonly item?: unknown;
}

/** A step that was skipped only because these variables were never set. */
export interface UndecidedStep {
  readonly stepId: string;
  /** The unset variables that its condition reads. */
  readonly variables: readonly string[];
}

/** The step to do now, in the context its place gives it. */
export interface StepFound {
  readonly kind: 'step';
  readonly instanceId: string;
  readonly node: StepNode;
  readonly context: Context;
  readonly loop?: LoopPosition;
}

/** A loop that blocks progress because the variable it reads is missing or of the wrong type. */
export interface LoopStuck {
  readonly kind: 'stuck';
  readonly loopId: string;
  readonly bound: BadBound;
}

/** Nothing is eligible. */
export interface NothingLeft {
  readonly kind: 'complete';
  readonly undecided: readonly UndecidedStep[];
}

/** The next step, with warnings for the caller. */
export type NextStep = (
  | StepFound
  | LoopStuck
  | NothingLeft
  | { readonly kind: 'exhausted'; readonly loopId: string }
) & {
  readonly warnings: readonly string[];
};

/** A condition that kept a step or a loop from coming next. */
export interface FailedCondition {
  readonly stepId: string;
  readonly condition: Condition;
  readonly context: Context;
}

type Found = StepFound | LoopStuck | { readonly kind: 'exhausted'; readonly loopId: string };

interface Place {
  readonly prefix: string;
  readonly context: Context;
  readonly loop?: LoopPosition;
}

interface Search {
  readonly progress: Progress;
  readonly warnings: string[];
  readonly failed: FailedCondition[];
  roundsLeft: number;
}

/**
 * Returns the first step in file order that is not completed and whose condition is true. The steps of a loop come
 * round by round. Pure: the same workflow, progress and context give the same result.
 *
 * @see docs/tools.md#workflow_next
 */
export function nextStep(workflow: CompiledWorkflow, progress: Progress, context: Context): NextStep {
  return searchNext(workflow, progress, context).next;
}

/** Returns the result of `nextStep` with the conditions that failed before it. */
export function searchNext(
  workflow: CompiledWorkflow,
  progress: Progress,
  context: Context,
): { readonly next: NextStep; readonly failed: readonly FailedCondition[] } {
  const search: Search = {
    progress,
    warnings: [...warnOfUnknown(progress.unknown, nextMessages.unknownStep)],
    failed: [],
    roundsLeft: maxRoundsScanned,
  };
  const found = searchNodes(workflow.nodes, { prefix: '', context }, search);
  const { warnings, failed } = search;
  if (found !== undefined) return { next: { ...found, warnings }, failed };
  return { next: { kind: 'complete', undecided: undecidedSteps(search), warnings }, failed };
}

/** A loop that has begun and is not done. */
interface LoopUnderWay {
  readonly node: LoopNode;
  /** The names that the loops around it give their items and counters. */
  readonly inner: ReadonlySet<string>;
}

/**
 * Returns the loops around the current step, and those that have begun and have a step left. Only the latest round of
 * an outer loop counts, because a session never returns to earlier rounds.
 */
export function loopsUnderWay(
  { nodes }: CompiledWorkflow,
  progress: Progress,
  { current, variables }: { readonly current: string | undefined; readonly variables: Context },
): readonly LoopUnderWay[] {
  const found: LoopUnderWay[] = [];
  const search: Search = { progress, warnings: [], failed: [], roundsLeft: maxRoundsScanned };
  const look = (some: readonly Node[], place: Place, inner: ReadonlySet<string>): void => {
    for (const node of some) {
      if (node.kind === 'step') continue;
      const key = place.prefix + node.step.id;
      const latest = progress.latest.get(key);
      if (latest === undefined) continue;
      const isHere = current?.startsWith(`${key}@`) === true;
      if (isHere || searchNodes([node], place, search) !== undefined) found.push({ node, inner });
      const planned = plannedRounds(node.step.loop, place.context);
      const rounds = 'needed' in planned ? {} : planned;
      const round = enterRound(node, place, { iteration: latest, rounds });
      look(node.body, round, new Set([...inner, ...namesIn(node.step.loop)]));
    }
  };
  look(nodes, { prefix: '', context: variables }, new Set());
  return found;
}

function undecidedSteps({ failed }: Search): readonly UndecidedStep[] {
  const byStep = new Map<string, Set<string>>();
  for (const { stepId, condition, context } of failed) {
    for (const variable of undecided(condition, context)) {
      byStep.set(stepId, (byStep.get(stepId) ?? new Set()).add(variable));
    }
  }
  return [...byStep].map(([stepId, names]) => ({ stepId, variables: [...names] }));
}

function searchNodes(nodes: readonly Node[], place: Place, search: Search): Found | undefined {
  for (const node of nodes) {
    const instanceId = place.prefix + node.step.id;
    if (search.progress.done.has(instanceId) || !holds(node.runs, { node, context: place.context }, search))
      continue;
    if (node.kind === 'step') return { kind: 'step', instanceId, node, ...positionOf(place) };
    const found = searchLoop(node, place, search);
    if (found !== undefined) return found;
  }
  return undefined;
}

function positionOf({ context, loop }: Place): Pick<StepFound, 'context' | 'loop'> {
  return loop === undefined ? { context } : { context, loop };
}

/** Evaluates a condition and remembers it if it fails. */
function holds(
  condition: Condition | undefined,
  at: { node: Node; context: Context },
  search: Search,
): boolean {
  if (condition === undefined || evaluate(condition, at.context)) return true;
  search.failed.push({ stepId: at.node.step.id, condition, context: at.context });
  return false;
}

function searchLoop(node: LoopNode, place: Place, search: Search): Found | undefined {
  const { id, loop } = node.step;
  const rounds = plannedRounds(loop, place.context);
  if ('needed' in rounds) return { kind: 'stuck', loopId: id, bound: rounds };
  const end = Math.min(rounds.total ?? Infinity, loop.maxIterations);
  const latest = Math.min(search.progress.latest.get(place.prefix + id) ?? -1, end - 1);
  for (let iteration = Math.max(latest, 0); iteration < end; iteration += 1) {
    if (search.roundsLeft === 0) return { kind: 'exhausted', loopId: id };
    search.roundsLeft -= 1;
    const round = enterRound(node, place, { iteration, rounds });
    if (iteration > latest && !mayBegin(node, round.context, search)) return undefined;
    const found = searchNodes(node.body, round, search);
    if (found !== undefined) return found;
  }
  warnWhenCutShort(node, place, { rounds, search });
  return undefined;
}

function enterRound(node: LoopNode, place: Place, at: { iteration: number; rounds: Rounds }): Place {
  const { id, loop } = node.step;
  const { iteration, rounds } = at;
  const position: LoopPosition = {
    id,
    iteration: iteration + 1,
    index: iteration,
    ...(rounds.total === undefined ? {} : { total: Math.min(rounds.total, loop.maxIterations) }),
    ...(rounds.items === undefined ? {} : { item: rounds.items[iteration] }),
  };
  return {
    prefix: roundPrefix(place.prefix, { loopId: id, iteration }),
    context: roundContext(loop, rounds, { context: place.context, iteration }),
    loop: position,
  };
}

/** Returns whether a round that has not begun may begin. */
function mayBegin(node: LoopNode, context: Context, search: Search): boolean {
  const { type } = node.step.loop;
  return type === 'while' ? holds(node.condition, { node, context }, search) : asksForMore(node, context);
}

function asksForMore({ condition, step }: LoopNode, context: Context): boolean {
  if (condition === undefined) return true;
  return evaluate(condition, context) === (step.loop.type === 'while');
}

function warnWhenCutShort(node: LoopNode, place: Place, at: { rounds: Rounds; search: Search }): void {
  const { id, loop } = node.step;
  const { rounds, search } = at;
  const bound = loop.maxIterations;
  const wanted = rounds.total;
  const more =
    wanted === undefined
      ? asksForMore(node, enterRound(node, place, { iteration: bound, rounds }).context)
      : wanted > bound;
  if (!more) return;
  search.warnings.push(nextMessages.loopCutShort(id, bound, wanted));
}

/** Describes why a loop can't continue, and what helps. */
export function describeStuck(next: Extract<NextStep, { kind: 'stuck' | 'exhausted' }>): string {
  if (next.kind === 'exhausted') {
    return nextMessages.loopTooLong(next.loopId);
  }
  const { variable, needed, found } = next.bound;
  return nextMessages.wrongBound(next.loopId, variable, needed, found);
}
