import type { Place, PlannedLoop, PlannedStep } from './navigator.ts';
import type { ManifestEntry } from './session-event.ts';

/** The entries of a manifest, as indexes under the step that each names. */
export interface NamedSteps {
  /** Of the steps of the activity. */
  readonly steps: ReadonlyMap<PlannedStep, readonly number[]>;
  readonly loops: ReadonlyMap<PlannedLoop, NamedIterations>;
}

/** What a manifest names of a loop. */
export interface NamedIterations {
  /** Entries by `0::step-id`. */
  readonly exact: ReadonlyMap<string, readonly number[]>;
  /** Entries that name a step without its iteration; each stands for the next iteration that lacks the step. */
  readonly bare: ReadonlyMap<PlannedStep, readonly number[]>;
  /** How many iterations the manifest names. */
  readonly count: number;
  /** Of the last iteration named, the place of the last step named. */
  readonly lastRank: number;
}

const instancePattern = /^(?:([^@]+)@(\d{1,6})::)?([^:]+)$/;

/** Sorts the entries of a manifest by the step that they name; entries that name no step are left out. */
export function readNames(place: Place, manifest: readonly ManifestEntry[]): NamedSteps {
  const steps = new Map<PlannedStep, number[]>();
  const loops = new Map<PlannedLoop, { exact: Map<string, number[]>; bare: Map<PlannedStep, number[]> }>();
  for (const [entry, { step_id: id }] of manifest.entries()) {
    const own = place.steps.find((step) => step.id === id || step.id.endsWith(`::${id}`));
    const inLoop = own === undefined ? findInLoops(place.loops, id) : undefined;
    if (own !== undefined) add(steps, own, entry);
    if (inLoop === undefined) continue;
    const { loop, step, iteration } = inLoop;
    const names = loops.get(loop) ?? { exact: new Map(), bare: new Map() };
    loops.set(loop, names);
    if (iteration === undefined) add(names.bare, step, entry);
    else add(names.exact, `${iteration}::${step.id}`, entry);
  }
  const counted = [...loops].map(
    ([loop, { exact, bare }]) => [loop, { exact, bare, ...extentOf(loop, exact, bare) }] as const,
  );
  return { steps, loops: new Map(counted) };
}

function add<Key>(map: Map<Key, number[]>, key: Key, entry: number): void {
  const entries = map.get(key);
  if (entries === undefined) map.set(key, [entry]);
  else entries.push(entry);
}

interface InLoop {
  readonly loop: PlannedLoop;
  readonly step: PlannedStep;
  readonly iteration: number | undefined;
}

function findInLoops(loops: readonly PlannedLoop[], id: string): InLoop | undefined {
  const [, loopId, count, stepId] = instancePattern.exec(id) ?? [];
  const iteration = count === undefined ? undefined : Number(count);
  for (const loop of loops) {
    if (iteration !== undefined && (loopId !== loop.id || iteration >= loop.maxIterations)) continue;
    const step = loop.steps.find((candidate) => candidate.id === stepId);
    if (step !== undefined) return { loop, step, iteration };
  }
  return undefined;
}

/** How far the names of a loop reach: as many iterations as one of its steps has names. */
function extentOf(
  { steps }: PlannedLoop,
  exact: NamedIterations['exact'],
  bare: NamedIterations['bare'],
): Pick<NamedIterations, 'count' | 'lastRank'> {
  const keys = [...exact.keys()];
  const namesOf = (step: PlannedStep): number =>
    (bare.get(step)?.length ?? 0) + keys.filter((key) => key.endsWith(`::${step.id}`)).length;
  const furthest = keys.reduce((most, key) => Math.max(most, Number.parseInt(key, 10) + 1), 0);
  const count = steps.reduce((most, step) => Math.max(most, namesOf(step)), furthest);
  const isLast = (step: PlannedStep): boolean =>
    exact.has(`${count - 1}::${step.id}`) || namesOf(step) >= count;
  return { count, lastRank: steps.findLastIndex(isLast) };
}
