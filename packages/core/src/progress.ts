import type { CompiledWorkflow, Standing } from './compile-workflow.ts';
import { parseInstanceId, roundPrefix } from './instance-id.ts';

/** What a caller says is done, read against the workflow. */
export interface Progress {
  /** Instance ids in their full form. */
  readonly done: ReadonlySet<string>;
  /** For each loop (its full form without the iteration), the latest iteration with a completed step. */
  readonly latest: ReadonlyMap<string, number>;
  /** Ids the workflow doesn't have, in the order given, each once. */
  readonly unknown: readonly string[];
}

/**
 * Reads completed ids. A bare id of a step inside a loop counts for iteration 0 of every loop around it.
 *
 * @see docs/tools.md#workflow_next
 */
export function readProgress(workflow: CompiledWorkflow, completed: Iterable<string>): Progress {
  const done = new Set<string>();
  const latest = new Map<string, number>();
  const unknown = new Set<string>();
  for (const id of completed) {
    const places = findInstances(workflow, id);
    if (places.length === 0) unknown.add(id);
    for (const { standing, iterations } of places) record(standing, iterations, { done, latest });
  }
  return { done, latest, unknown: [...unknown] };
}

/** A place of the workflow and the iteration of each loop around it, from the outside in. */
export interface Instance {
  readonly standing: Standing;
  readonly iterations: readonly number[];
}

/** The places a bare or instance id names; none when the workflow has no such id. */
export function findInstances({ standings }: CompiledWorkflow, id: string): readonly Instance[] {
  const parsed = parseInstanceId(id);
  if (parsed === undefined) return [];
  const all = standings.get(parsed.stepId) ?? [];
  if (parsed.rounds.length === 0)
    return all.map((standing) => ({ standing, iterations: standing.loops.map(() => 0) }));
  const iterations = parsed.rounds.map((round) => round.iteration);
  return all
    .filter((standing) => fits(standing, parsed.rounds))
    .map((standing) => ({ standing, iterations }));
}

function fits({ loops }: Standing, rounds: readonly { loopId: string; iteration: number }[]): boolean {
  return (
    loops.length === rounds.length &&
    loops.every(({ step }, depth) => {
      const round = rounds[depth];
      return round?.loopId === step.id && round.iteration < step.loop.maxIterations;
    })
  );
}

function record(
  { node, loops }: Standing,
  iterations: readonly number[],
  { done, latest }: { done: Set<string>; latest: Map<string, number> },
): void {
  let prefix = '';
  loops.forEach(({ step }, depth) => {
    const iteration = iterations[depth] ?? 0;
    const loopKey = prefix + step.id;
    latest.set(loopKey, Math.max(latest.get(loopKey) ?? 0, iteration));
    prefix = roundPrefix(prefix, { loopId: step.id, iteration });
  });
  done.add(prefix + node.step.id);
}
