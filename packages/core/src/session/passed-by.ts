import type { CompiledWorkflow, Node } from '../compile-workflow.ts';
import { parseInstanceId } from '../instance-id.ts';
import type { CompiledActivity } from './compile-activity.ts';
import type { Graph, Reachability } from './graph-moves.ts';
import { hasWays, targetsOf, writtenTargets } from './graph-moves.ts';
import type { GatePolicy, Stray } from './navigator.ts';
import { needsHuman } from './policy.ts';

/** The checkpoint of an activity that needs a person: one whose author says so, or under `human` any. */
export function personsCheckpointOf({ gates }: CompiledActivity, policy: GatePolicy): string | undefined {
  return gates.find((gate) => needsHuman(gate, { gates: policy }))?.id;
}

/**
 * The activity of a graph whose person's checkpoint a move without a transition could pass by. It comes before the
 * named activity; or it is ahead, and from the named activity the session could continue or end without it.
 *
 * @see docs/sessions.md#checkpoints-that-need-a-person
 */
export function passedInGraph(
  graph: Graph,
  leads: Reachability,
  initial: string | undefined,
): (stray: Stray, policy: GatePolicy) => string | undefined {
  const isAfter = (guarded: string, id: string): boolean =>
    targetsOf(graph, guarded).some((target) => leads(target, id));
  const evades = (to: string, guarded: string): boolean =>
    reachedWithout(graph, to, guarded).some((id) => isAfter(guarded, id) || mayEnd(graph, graph.get(id)));
  return ({ current, to, skipped }, policy) => {
    const from = current ?? initial;
    const guarded = [...graph].flatMap(([id, activity]) =>
      personsCheckpointOf(activity, policy) === undefined || skipped?.has(id) === true ? [] : [id],
    );
    return guarded.find((id) => {
      const isAhead = from !== undefined && leads(from, id);
      if (to === undefined) return id === current ? isAfter(id, id) : isAhead;
      if (to === id) return false;
      const mayComeBefore = (isAhead || (initial !== undefined && leads(initial, id))) && isAfter(id, to);
      return mayComeBefore || (isAhead && evades(to, id));
    });
  };
}

/** What can be reached from an activity, that included, without others. */
export function reachedWithout(graph: Graph, from: string, ...without: readonly string[]): readonly string[] {
  const reached = new Set([from]);
  for (const id of reached) {
    for (const target of targetsOf(graph, id)) if (!without.includes(target)) reached.add(target);
  }
  return [...reached].filter((id) => graph.has(id));
}

/** Whether a session could end at an activity: by a way out of the workflow, or because no way may be open. */
export function mayEnd(graph: Graph, activity: CompiledActivity | undefined): boolean {
  if (activity === undefined || !hasWays(activity)) return true;
  const { decisions, transitions } = activity;
  if (writtenTargets(activity).some((target) => !graph.has(target))) return true;
  const isOpen =
    transitions.some(({ condition }) => condition === undefined) || decisions.some(leadsOnAlways);
  return !isOpen;
}

/** Whether each branch that a decision may take leads on: those with a condition, and the first of those without. */
function leadsOnAlways({ ways }: CompiledActivity['decisions'][number]): boolean {
  const preset = ways.find(({ condition }) => condition === undefined);
  const taken = ways.filter((branch) => branch === preset || branch.condition !== undefined);
  return preset !== undefined && taken.every(({ target }) => target !== undefined);
}

/** A step with a person's checkpoint, and where it stands in the order of the file. */
interface GuardedStep {
  readonly id: string;
  readonly order: number;
  readonly loops: readonly string[];
}

/**
 * The step whose person's checkpoint a move out of order could pass by: it comes before the named step or is in a loop
 * with it, and may still come. Going back to a finished step passes no checkpoint.
 */
export function passedInSequence({
  nodes,
}: CompiledWorkflow): (stray: Stray, policy: GatePolicy) => string | undefined {
  const order: (GuardedStep & { readonly needs: GatePolicy | undefined })[] = [];
  const list = (some: readonly Node[], loops: readonly string[]): void => {
    for (const node of some) {
      const { id } = node.step;
      if (node.kind === 'loop') {
        list(node.body, [...loops, id]);
        continue;
      }
      const needs =
        node.confirms === false ? undefined : node.step.approver === 'human' ? 'declared' : 'human';
      order.push({ id, order: order.length, loops, needs });
    }
  };
  list(nodes, []);
  return ({ current, completed, to }, policy) => {
    const done = new Set([...completed, ...(current === undefined ? [] : [current])]);
    if (to !== undefined && done.has(to)) return undefined;
    const { stepId, rounds = [] } = (to === undefined ? undefined : parseInstanceId(to)) ?? {};
    const around = new Set(rounds.map(({ loopId }) => loopId));
    const last = order.findLast(({ id }) => id === stepId)?.order ?? Infinity;
    return order.find(
      (step) =>
        step.needs !== undefined &&
        (step.needs === 'declared' || policy === 'human') &&
        (step.order < last || step.loops.some((loop) => around.has(loop))) &&
        (step.loops.length > 0 || !done.has(step.id)),
    )?.id;
  };
}
