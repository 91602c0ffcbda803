import type { Condition } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import type { CompiledWorkflow, Node, Progress } from '@workflowlookup/core/decisions';
import { parseInstanceId, roundPrefix } from '@workflowlookup/core/decisions';
import { readProgress } from '@workflowlookup/core/decisions';
import { namesRead } from './compiled-conditions.ts';
import type { SymbolicState, StateGraph } from './state-graph.ts';
import { clausesDuring, siteOfInstance } from './step-branches.ts';

/** A node of the outermost list, with the names in it. */
interface Reach {
  readonly node: Node;
  readonly names: ReadonlySet<string>;
  readonly sites: readonly string[];
}

/**
 * Computes the relevant part of a state of a step workflow. A skipped step may come back as long as a variable of its
 * condition can change; after that it counts as done.
 */
export function createStepRelevance(compiled: CompiledWorkflow): StateGraph['relevantPartOf'] {
  const all = compiled.nodes.map((node): Reach => ({
    node,
    names: new Set([...namesBefore(node), ...namesDuring(node)]),
    sites: sitesIn(node),
  }));
  return (symbolic, settersAt) => {
    const { current, completed } = symbolic.state;
    const progress = readProgress(compiled, completed);
    const site = current === undefined ? undefined : siteOfInstance(current);
    const left = all.filter(({ node }) => !progress.done.has(node.step.id));
    const ahead = mayCome(left, symbolic, settersAt).concat(
      left.filter(({ sites }) => site !== undefined && sites.includes(site)),
    );
    return {
      progress: [current, [...new Set(ahead.map(({ node }) => node.step.id))], inRounds(progress)],
      names: new Set(ahead.flatMap(({ names }) => [...names])),
    };
  };
}

function sitesIn(node: Node): readonly string[] {
  return node.kind === 'step' ? [node.step.id] : node.body.flatMap(sitesIn);
}

/** Returns the nodes whose condition is true, or may become true because other nodes let somebody set its variables. */
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
        namesIn(runs).some((name) => changing.has(name)) ||
        evaluate(runs, state.variables);
      if (ahead.has(reach) || !isOpen) continue;
      ahead.add(reach);
      for (const site of reach.sites) for (const name of settersAt(site)) changing.add(name);
    }
  }
  return left.filter((reach) => ahead.has(reach));
}

/** Returns the completed steps of the current rounds of loops. Earlier rounds never return. */
function inRounds({ done, latest }: Progress): unknown {
  const inside = [...done].filter((id) => id.includes('@') && isInLatestRound(id, latest));
  const rounds = [...latest].map(([loop, round]) => `${loop}@${round}`);
  return [rounds.toSorted(), inside.toSorted()];
}

function isInLatestRound(id: string, latest: Progress['latest']): boolean {
  let prefix = '';
  return (parseInstanceId(id)?.rounds ?? []).every((round) => {
    const isLatest = latest.get(prefix + round.loopId) === round.iteration;
    prefix = roundPrefix(prefix, round);
    return isLatest;
  });
}

/**
 * Returns the variables that decide the next step: whether the current one must be confirmed, and the names read by the
 * steps that may come next. A step whose condition is decided hides the steps inside or after it.
 */
export function createStepReads({ nodes, standings }: CompiledWorkflow): StateGraph['reads'] {
  const inside = new Map(nodes.map((node) => [node, new Set(namesBefore(node))]));
  const confirming = new Map(
    [...standings].map(([id, [first]]) => [id, first === undefined ? [] : namesConfirming(first.node)]),
  );
  return function* reads(symbolic) {
    const { current, completed } = symbolic.state;
    if (current !== undefined) yield* confirming.get(siteOfInstance(current)) ?? [];
    const done = new Set(current === undefined ? completed : [...completed, current]);
    for (const node of nodes) {
      if (done.has(node.step.id)) continue;
      const comes = howItComes(node, symbolic);
      yield* node.runs === undefined ? [] : namesIn(node.runs);
      if (comes !== 'never') yield* inside.get(node) ?? [];
      if (comes === 'surely' && node.kind === 'step') return;
    }
  };
}

function howItComes({ runs }: Node, { state, free }: SymbolicState): 'maybe' | 'never' | 'surely' {
  if (runs === undefined) return 'surely';
  if (namesIn(runs).some((name) => free.has(name))) return 'maybe';
  return evaluate(runs, state.variables) ? 'surely' : 'never';
}

/** Returns the names read before a step, or any step in a loop, begins. */
function* namesBefore(node: Node): Generator<string> {
  if (node.runs !== undefined) yield* namesIn(node.runs);
  if (node.kind === 'step') return;
  const { items, count } = node.step.loop;
  if (items !== undefined) yield items;
  if (typeof count === 'string') yield count;
  if (node.condition !== undefined) yield* namesIn(node.condition);
  for (const inner of node.body) yield* namesBefore(inner);
}

/** Returns the names read while a step, or any step in a loop, is done. */
function* namesDuring(node: Node): Generator<string> {
  yield* namesOnLeaving(node);
  if (node.kind === 'loop') for (const inner of node.body) yield* namesDuring(inner);
}

function namesConfirming(node: Node): readonly string[] {
  return node.kind === 'loop' || typeof node.confirms === 'boolean' ? [] : namesIn(node.confirms);
}

function namesOnLeaving({ step }: Node): readonly string[] {
  return namesRead(clausesDuring(step));
}

export function namesIn(condition: Condition): readonly string[] {
  return namesRead([{ condition }]);
}
