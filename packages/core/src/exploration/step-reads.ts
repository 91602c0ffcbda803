import type { Condition } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import type { CompiledWorkflow, Node } from '../compile-workflow.ts';
import { namesRead } from './comparisons.ts';
import { clausesDuring, siteOfInstance } from './step-turns.ts';
import type { Stand, Terrain } from './terrain.ts';

/**
 * Says which variables decide at which step a session stands next: whether the one it leaves has to be confirmed, and
 * what those look at that may come next. A step whose condition is settled hides what is in it, or what comes after it.
 */
export function createStepReads({ nodes, standings }: CompiledWorkflow): Terrain['reads'] {
  const inside = new Map(nodes.map((node) => [node, new Set(namesBefore(node))]));
  const confirming = new Map(
    [...standings].map(([id, [first]]) => [id, first === undefined ? [] : namesConfirming(first.node)]),
  );
  return function* reads(stand) {
    const { current, completed } = stand.state;
    if (current !== undefined) yield* confirming.get(siteOfInstance(current)) ?? [];
    const done = new Set(current === undefined ? completed : [...completed, current]);
    for (const node of nodes) {
      if (done.has(node.step.id)) continue;
      const comes = howItComes(node, stand);
      yield* node.runs === undefined ? [] : namesIn(node.runs);
      if (comes !== 'never') yield* inside.get(node) ?? [];
      if (comes === 'surely' && node.kind === 'step') return;
    }
  };
}

function howItComes({ runs }: Node, { state, free }: Stand): 'maybe' | 'never' | 'surely' {
  if (runs === undefined) return 'surely';
  if (namesIn(runs).some((name) => free.has(name))) return 'maybe';
  return evaluate(runs, state.variables) ? 'surely' : 'never';
}

/** What is read before a step, or any step in a loop, is handed out. */
export function* namesBefore(node: Node): Generator<string> {
  if (node.runs !== undefined) yield* namesIn(node.runs);
  if (node.kind === 'step') return;
  const { items, count } = node.step.loop;
  if (items !== undefined) yield items;
  if (typeof count === 'string') yield count;
  if (node.condition !== undefined) yield* namesIn(node.condition);
  for (const inner of node.body) yield* namesBefore(inner);
}

/** What is read while a step, or any step in a loop, is done. */
export function* namesDuring(node: Node): Generator<string> {
  yield* namesOnLeaving(node);
  if (node.kind === 'loop') for (const inner of node.body) yield* namesDuring(inner);
}

function namesConfirming(node: Node): readonly string[] {
  return node.kind === 'loop' || typeof node.confirms === 'boolean' ? [] : namesIn(node.confirms);
}

function namesOnLeaving({ step }: Node): readonly string[] {
  return namesRead(clausesDuring(step));
}

/** The variables a condition reads. */
export function namesIn(condition: Condition): readonly string[] {
  return namesRead([{ condition }]);
}
