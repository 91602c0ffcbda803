import type {
  ActivityWorkflow,
  Finding,
  LoopStep,
  Step,
  StepWorkflow,
  Workflow,
} from '@workflowlookup/schema';
import { activityStateGraph } from './activity-workflow.ts';
import { namesRead, createDomains } from './variable-values.ts';
import { coverageOf, createRecord, findGaps } from './coverage.ts';
import { stops } from '../messages.ts';
import { createMissingTransitions, deadEndsIn, createSetters, createUnsetMentions } from './problems.ts';
import { searchStates } from './search-states.ts';
import type { StateGraph } from './state-graph.ts';
import { possible } from './state-graph.ts';
import { stepStateGraph } from './step-workflow.ts';
import type { Domains } from './variable-values.ts';

/** How far to explore. */
export interface ExploreOptions {
  /** Maximum number of states to explore; default 50,000. */
  readonly maxStates?: number;
}

/**
 * Explores every session that is possible on a workflow: with each answer to each checkpoint, and each value that its
 * conditions distinguish for the variables that agents may set. Loops are followed for a few iterations. Pure.
 *
 * @throws WorkflowError INVALID_WORKFLOW if the workflow has an error that reading it would have reported
 * @see docs/authoring.md#testing-a-workflow
 * @example
 * ```ts
 * const { findings, coverage } = explore(workflow);
 * for (const { message } of findings) console.log(message);
 * ```
 */
export function explore(workflow: Workflow, { maxStates = 50_000 }: ExploreOptions = {}): Exploration {
  const whole = stateGraphOf(workflow);
  const domains = createDomains(whole.usage);
  const stateGraph = shortened(workflow, whole, domains);
  const setters = createSetters(stateGraph, domains);
  const record = createRecord(stateGraph);
  const mentions = createUnsetMentions(stateGraph, setters);
  const missing = createMissingTransitions(
    workflow.kind === 'activities' ? workflow : { activities: [] },
    stateGraph.navigator,
  );
  const search = searchStates(stateGraph, {
    domains,
    setters,
    maxStates,
    onTransition(transition, free) {
      record.add(transition, possible(domains, free.before));
      missing.add(transition);
      mentions.add(transition, free.after);
    },
  });
  const limit = limitOf(search.isWhole, domains, maxStates);
  const absences = (): readonly ExplorationFinding[] => {
    const deadEnds = deadEndsIn(stateGraph, search);
    // A condition may have another result in states that a dead end hides.
    const isSure = ({ code }: ExplorationFinding): boolean =>
      code !== 'always-holds' || deadEnds.length === 0;
    return [
      ...findGaps(stateGraph, record).filter(isSure),
      ...deadEnds,
      ...mentions.findings(record.reached),
    ];
  };
  return {
    findings: [...(limit === undefined ? absences() : []), ...missing.findings()],
    coverage: coverageOf(stateGraph, record),
    states: search.states.length,
    ...(limit === undefined ? {} : { limit }),
  };
}

function shortened(workflow: Workflow, { usage }: StateGraph, domains: Domains): StateGraph {
  const compared = new Set(namesRead(usage.conditions));
  const lengths = usage.lists.flatMap(({ name }) =>
    domains.valuesOf(name).map((value) => (Array.isArray(value) ? value.length : 0)),
  );
  const explored = { compared, items: Math.max(1, ...lengths) };
  return stateGraphOf(
    workflow.kind === 'steps' ? shortenLoops(workflow, explored) : shortenActivityLoops(workflow, explored),
  );
}

function limitOf(isWhole: boolean, { unclear }: Domains, maxStates: number): string | undefined {
  if (!isWhole) return stops.tooManyStates(maxStates);
  const [name] = unclear;
  return name && stops.noFittingText(name);
}

/** The codes of exploration findings. */
export type ExplorationCode =
  | 'always-holds'
  | 'endless'
  | 'endless-loop'
  | 'impassable-checkpoint'
  | 'missing-transition'
  | 'never-holds'
  | 'stuck'
  | 'unreachable'
  | 'unset-variable';

/** A problem that exploration found, such as a step that no session can reach. */
export interface ExplorationFinding extends Finding {
  readonly code: ExplorationCode;
  /** Path in the folder of an activity workflow; absent for a step workflow, which is one document. */
  readonly file?: string;
}

/** One result of a condition or an answer. */
export interface BranchOutcome {
  /** As people read it: `size == "large"`. */
  readonly text: string;
  /** Whether the condition is true; for an answer always true. */
  readonly holds: boolean;
  readonly file?: string;
  readonly pointer: string;
}

/** The parts of a workflow that were reached, out of all. */
export interface Coverage {
  readonly sites: { readonly total: number; readonly missed: readonly string[] };
  readonly branches: { readonly total: number; readonly missed: readonly BranchOutcome[] };
}

/** The result of exploring a workflow. */
export interface Exploration {
  readonly findings: readonly ExplorationFinding[];
  readonly coverage: Coverage;
  /** Number of states explored. */
  readonly states: number;
  /** Why not all states were explored, as a sentence. Nothing is then reported as unreachable. */
  readonly limit?: string;
}

export function stateGraphOf(workflow: Workflow): StateGraph {
  return workflow.kind === 'steps' ? stepStateGraph(workflow) : activityStateGraph(workflow);
}

/** The inputs that decide how many iterations of a loop to explore. */
interface IterationsToExplore {
  /** Names that conditions compare. A loop that counts with one of them needs more iterations. */
  readonly compared: ReadonlySet<string>;
  readonly items: number;
}

/** Iterations after which a loop does nothing new. */
const fewIterations = 3;
/** Iterations to explore if a condition counts them. */
const manyIterations = 25;

/**
 * Returns the workflow with loops that end after a few iterations, so that the search soon reaches the steps after
 * them.
 */
function shortenLoops(workflow: StepWorkflow, explored: IterationsToExplore): StepWorkflow {
  const { definition } = workflow;
  return { ...workflow, definition: { ...definition, steps: shortenIn(definition.steps, explored) } };
}

function shortenIn(steps: readonly Step[], explored: IterationsToExplore): readonly Step[] {
  return steps.map((step) => {
    if (step.type !== 'loop') return step;
    const body = typeof step.body === 'string' ? step.body : shortenIn(step.body, explored);
    return { ...step, body, loop: { ...step.loop, maxIterations: boundOf(step, explored) } };
  });
}

function boundOf({ loop }: LoopStep, { compared, items }: IterationsToExplore): number {
  const counters = [loop.iterationVar ?? 'currentIteration', loop.indexVar ?? 'currentIndex'];
  const isCounted = counters.some((name) => compared.has(name));
  return Math.min(loop.maxIterations, isCounted ? manyIterations : Math.max(fewIterations, items));
}

/** {@link shortenLoops} for an activity workflow. */
function shortenActivityLoops(workflow: ActivityWorkflow, { items }: IterationsToExplore): ActivityWorkflow {
  const most = Math.max(fewIterations, items);
  const activities = workflow.activities.map((part) => {
    const loops = part.definition.loops?.map((loop) => ({
      ...loop,
      maxIterations: Math.min(loop.maxIterations ?? most, most),
    }));
    return loops === undefined ? part : { ...part, definition: { ...part.definition, loops } };
  });
  return { ...workflow, activities };
}
