import type { WorkflowSummary } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { sortProblems } from './sort-problems.ts';
import { sortSummaries } from './sort-summaries.ts';
import { systemCode } from './system-code.ts';
import type { DefinitionProblem, UntrustedDefinition, WorkflowStore } from './workflow-store.ts';

/** What one layer had to say when it was asked. */
export interface LayerView {
  readonly summaries: readonly WorkflowSummary[];
  readonly problems: readonly DefinitionProblem[];
  /** Sorted as the layer gave them, each with the name of the layer. */
  readonly untrusted: readonly UntrustedDefinition[];
  /** Says that the layer did not answer at all. */
  readonly failure?: DefinitionProblem;
}

/** All layers as one. */
export interface MergedLayers {
  readonly summaries: readonly WorkflowSummary[];
  readonly problems: readonly DefinitionProblem[];
  readonly untrusted: readonly UntrustedDefinition[];
  /** The number of the layer that serves an id. */
  readonly servedBy: ReadonlyMap<string, number>;
}

interface NamedStore {
  readonly name: string;
  readonly store: WorkflowStore;
}

/** Asks a layer for everything; that it fails is part of the answer. */
export async function viewLayer({ name, store }: NamedStore): Promise<LayerView> {
  try {
    const [summaries, problems, held = []] = await Promise.all([
      store.list(),
      store.problems(),
      store.untrusted?.(),
    ]);
    return { summaries, problems, untrusted: held.map((one) => ({ ...one, source: name })) };
  } catch (error) {
    return { summaries: [], problems: [], untrusted: [], failure: layerFailure(name, error) };
  }
}

/**
 * Puts layers on top of each other, lowest first. The highest layer that serves an id or has a broken file for it
 * decides: a broken file is never silently replaced by a lower one. What lower layers have wrong with an id that was
 * decided above them refuses nothing and becomes a warning. `held` has the ids that each layer may not decide, because a
 * more trusted one has them.
 */
export function mergeLayers(
  views: readonly LayerView[],
  held: readonly Pick<ReadonlySet<string>, 'has'>[],
): MergedLayers {
  const decided = new Map<string, Decision>();
  for (const [layer, { summaries, problems }] of views.entries()) {
    const mayDecide = (id: string): boolean => held[layer]?.has(id) !== true;
    for (const { id, severity } of problems)
      if (severity === 'error' && mayDecide(id)) decided.set(id, { layer });
    for (const summary of summaries) if (mayDecide(summary.id)) decided.set(summary.id, { layer, summary });
  }
  const served = [...decided.values()].flatMap(({ summary, layer }) => (summary ? [{ summary, layer }] : []));
  const problems = views.flatMap(({ failure, problems: own }, layer) => [
    ...own.map((problem) => (decided.get(problem.id)?.layer === layer ? problem : soften(problem))),
    ...(failure ? [failure] : []),
  ]);
  return {
    summaries: sortSummaries(served.map(({ summary }) => summary)),
    problems: sortProblems(problems),
    untrusted: views.flatMap((view) => view.untrusted),
    servedBy: new Map(served.map(({ summary, layer }) => [summary.id, layer])),
  };
}

interface Decision {
  readonly layer: number;
  /** Absent where a broken file refuses the id. */
  readonly summary?: WorkflowSummary;
}

function soften(problem: DefinitionProblem): DefinitionProblem {
  return problem.severity === 'warning' ? problem : { ...problem, severity: 'warning' };
}

/** Only our own messages are passed on: those of others may name places outside the source. */
function layerFailure(name: string, error: unknown): DefinitionProblem {
  const reason = error instanceof WorkflowError ? error.message : systemCode(error);
  const issue = {
    severity: 'error',
    code: 'unreadable-file',
    pointer: '',
    message: `The source '${name}' can't be read: ${reason}`,
    suggestion: 'Mend or leave out this source; the others are served',
    line: 1,
    column: 1,
  } as const;
  return { id: name, file: '.', severity: 'error', code: 'STORAGE', issues: [issue] };
}
