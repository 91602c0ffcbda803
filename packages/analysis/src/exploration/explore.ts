import type {
  ActivityWorkflow,
  Finding,
  LoopStep,
  Step,
  StepWorkflow,
  Workflow,
} from '@workflowlookup/schema';
import { defined, groupBy } from '@workflowlookup/schema';
import { activityStateGraph } from './activity-workflow.ts';
import { namesRead, createDomains } from './variable-values.ts';
import { findings, stops } from '../messages.ts';
import { createMissingTransitions, deadEndsIn, createSetters, createUnsetMentions } from './problems.ts';
import { searchStates } from './search-states.ts';
import type { StateTransition } from '../unstored-session.ts';
import type { BoundedLoop, Branch, Outcomes, Site, SourceLocation, StateGraph } from './state-graph.ts';
import { certain, labelOf, possible, warning } from './state-graph.ts';
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

/** Returns the coverage of a record. Loops count by their steps. */
export function coverageOf({ sites, branches }: StateGraph, record: CoverageRecord): Coverage {
  const steps = sites.filter(({ kind }) => kind !== 'loop');
  const outcomes = branches.flatMap(({ kind, text, file, pointer }) =>
    (kind === 'option' ? [true] : [true, false]).map((holds): BranchOutcome => ({
      text,
      holds,
      pointer,
      ...defined({ file }),
    })),
  );
  return {
    sites: {
      total: steps.length,
      missed: steps.filter(({ id }) => !record.reached.has(id)).map(({ label }) => label),
    },
    branches: {
      total: outcomes.length,
      missed: outcomes.filter((outcome) => !record.resultsAt(outcome).has(outcome.holds)),
    },
  };
}

/** The parts of a workflow that were reached. */
interface CoverageRecord {
  /** Adds a transition. Without `outcomes`, every condition has one known result. */
  readonly add: (transition: StateTransition, outcomes?: Outcomes) => void;
  readonly reached: ReadonlySet<string>;
  /** Returns the observed results of a condition, by its location. */
  resultsAt(location: SourceLocation): ReadonlySet<boolean>;
  /** Loops that were ended by their condition. */
  readonly ended: ReadonlySet<BoundedLoop>;
}

const none: ReadonlySet<boolean> = new Set();

export function createRecord(stateGraph: StateGraph): CoverageRecord {
  const reached = new Set<string>();
  const turns = new Map<string, Set<boolean>>();
  const ended = new Set<BoundedLoop>();
  return {
    reached,
    ended,
    resultsAt: (location) => turns.get(keyOf(location)) ?? none,
    add(transition, outcomes = certain) {
      for (const site of stateGraph.reachedBy(transition, outcomes)) reached.add(site);
      for (const boundedLoop of stateGraph.endedBy(transition)) ended.add(boundedLoop);
      for (const { holds, ...location } of stateGraph.resultsOf(transition, outcomes)) {
        const known = turns.get(keyOf(location)) ?? new Set();
        turns.set(keyOf(location), known.add(holds));
      }
    },
  };
}

function keyOf({ file = '', pointer }: SourceLocation): string {
  return `${file}#${pointer}`;
}

/**
 * Returns findings about unreachable sites, and about conditions and loops with only one result. Valid only if the
 * search was complete.
 */
function findGaps(stateGraph: StateGraph, record: CoverageRecord): readonly ExplorationFinding[] {
  const { branches, sites, boundedLoops } = stateGraph;
  const conditions = branches.filter(({ kind }) => kind === 'condition');
  const dead = conditions.filter((branch) => isOnly(false, record.resultsAt(branch)));
  // A variable that never changes makes one condition false and its opposite true. The finding about the false one is
  // enough.
  const fixed = new Set(dead.flatMap(({ names }) => names));
  const idle = conditions.filter(
    (branch) =>
      branch.decides === 'site' &&
      // A search of sessions sees such a step only after the answer, but agents must not see it before.
      branch.readsAnswer !== true &&
      isOnly(true, record.resultsAt(branch)) &&
      !branch.names.every((name) => fixed.has(name)),
  );
  const endless = boundedLoops.filter(
    (boundedLoop) => record.reached.has(boundedLoop.entrance) && !record.ended.has(boundedLoop),
  );
  const untold = dead.filter((branch) => !endless.some((boundedLoop) => isEndOf(branch, boundedLoop)));
  return [
    ...alike(untold).map(([branch, ...others]) =>
      warning('never-holds', branch, findings.neverHolds(branch, labelOf(branch, sites), others.length)),
    ),
    ...alike(idle).map(([branch, ...others]) =>
      warning('always-holds', branch, findings.alwaysHolds(branch, labelOf(branch, sites), others.length)),
    ),
    ...sites
      .filter((site) => isLost(site, record, dead))
      .map((site) => warning('unreachable', site, findings.unreachable(site.label))),
    ...endless.map((loop) => warning('endless-loop', loop, findings.endlessLoop(loop.id))),
  ];
}

/** Returns whether a condition ends a loop. If it never does, that is reported for the loop, not for the condition. */
function isEndOf({ decides, file, pointer }: Branch, boundedLoop: BoundedLoop): boolean {
  return decides === 'end' && file === boundedLoop.file && pointer.startsWith(`${boundedLoop.pointer}/`);
}

/** Groups branches with the same text. */
function alike(branches: readonly Branch[]): readonly Alike[] {
  return [...groupBy(branches, ({ text }) => text).values()] as unknown as readonly Alike[];
}

type Alike = readonly [Branch, ...Branch[]];

function isOnly(holds: boolean, turns: ReadonlySet<boolean>): boolean {
  return turns.size === 1 && turns.has(holds);
}

/**
 * Returns whether a site is unreachable. Sites inside an unreachable one, and those explained by a dead condition, are
 * not reported.
 */
function isLost({ id, within }: Site, record: CoverageRecord, dead: readonly Branch[]): boolean {
  if (record.reached.has(id) || (within !== undefined && !record.reached.has(within))) return false;
  return !dead.some(({ site, decides }) => site === id && (decides === 'site' || decides === 'loop'));
}
