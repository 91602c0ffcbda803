import { defined, groupBy } from '@workflowlookup/schema';
import type { BranchOutcome, Coverage, ExplorationFinding } from './explore.ts';
import type { Branch, BoundedLoop, Outcomes, Site, SourceLocation, StateGraph } from './state-graph.ts';
import { findings } from '../messages.ts';
import type { StateTransition } from '../unstored-session.ts';
import { certain, labelOf, warning } from './state-graph.ts';

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
export function findGaps(stateGraph: StateGraph, record: CoverageRecord): readonly ExplorationFinding[] {
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
