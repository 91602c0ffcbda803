import { lookUp, namesInCondition, showValue } from '@workflowlookup/conditions';
import type { ActivityWorkflow } from '@workflowlookup/schema';
import { conditionsOf } from '@workflowlookup/schema';
import type { Navigator, OpenCheckpoint } from '@workflowlookup/core/decisions';
import { evaluateMove } from '@workflowlookup/core/decisions';
import type { ExplorationFinding } from './explore.ts';
import type { SearchResult } from './search-states.ts';
import { reasonOfStop, reasonToStay } from './search-states.ts';
import type { StateTransition, Site, SourceLocation, StateGraph } from './state-graph.ts';

/** Returns a finding for each site from which no session reaches the end, whatever is done and answered there. */
export function deadEndsIn(stateGraph: StateGraph, search: SearchResult): readonly ExplorationFinding[] {
  const found = trapsIn(search).map((trap) => describeTrap(stateGraph, search, trap));
  // Many states have the same site and reason, which are reported once.
  const unique = new Map(
    found.map((finding) => [`${finding.file ?? ''} ${finding.pointer} ${finding.code}`, finding]),
  );
  return [...unique.values()];
}

function describeTrap(
  stateGraph: StateGraph,
  { states: all, next }: SearchResult,
  trap: Trap,
): ExplorationFinding {
  const states = trap.flatMap((number) => all[number]?.state ?? []);
  const [only] = states;
  if (only !== undefined && trap.every((number) => next[number]?.length === 0)) {
    return stuck(siteAt(stateGraph, only.current), reasonOfStop(stateGraph.navigator, only));
  }
  const waiting = states.find(({ gate }) => gate !== undefined)?.gate;
  const round = [...new Set(states.flatMap(({ current }) => current ?? []))];
  // A checkpoint that may be asked again and again is no dead end.
  const reasons = states.flatMap((state) => reasonToStay(stateGraph.navigator, state) ?? []);
  if (round.length === 1 && reasons[0] !== undefined) return stuck(siteAt(stateGraph, round[0]), reasons[0]);
  return waiting === undefined
    ? endless(siteAt(stateGraph, round[0]), round)
    : impassable(checkpointAt(stateGraph, waiting), siteAt(stateGraph, waiting.activity).label);
}

function checkpointAt(
  stateGraph: StateGraph,
  { activity, checkpoint }: OpenCheckpoint,
): SourceLocation & { readonly id: string } {
  const site = siteAt(stateGraph, activity);
  const answer = stateGraph.branches.find(
    (branch) => branch.gate?.id === checkpoint && branch.site === activity,
  );
  return answer?.gate ?? { ...site, id: checkpoint };
}

const wholeDocument: Pick<Site, 'label'> & SourceLocation = { label: 'the start', pointer: '' };

function siteAt({ sites, siteOf }: StateGraph, activity: string | undefined): typeof wholeDocument {
  const id = activity === undefined ? undefined : siteOf(activity);
  return sites.find((site) => site.id === id) ?? wholeDocument;
}

function placeOf({
  file,
  pointer,
}: SourceLocation): Pick<ExplorationFinding, 'file' | 'pointer' | 'severity'> {
  return { severity: 'warning', pointer, ...(file === undefined ? {} : { file }) };
}

function stuck({ label, ...location }: typeof wholeDocument, reason: string): ExplorationFinding {
  return {
    ...placeOf(location),
    code: 'stuck',
    message: `A session can't continue from ${label}: ${reason}`,
    suggestion: 'Add a way on, or let something before it set what is missing',
  };
}

function endless({ label, ...location }: typeof wholeDocument, round: readonly string[]): ExplorationFinding {
  return {
    ...placeOf(location),
    code: 'endless',
    message: `A session that reaches ${label} never ends, because it repeats ${round.join(', ')}`,
    suggestion: 'Add a way out of the round',
  };
}

function impassable({ id, ...location }: ReturnType<typeof checkpointAt>, label: string): ExplorationFinding {
  return {
    ...placeOf(location),
    code: 'impassable-gate',
    message: `Nobody gets past checkpoint '${id}' of ${label}: every answer leads back to it`,
    suggestion: 'Let an answer lead on',
  };
}

/** States that lead to each other and to nothing else, so that no session leaves them. */
type Trap = readonly number[];

/** Returns every trap of the graph. A single state without successors is one too. */
function trapsIn({ states, next }: SearchResult): readonly Trap[] {
  const before = reversed(next);
  const ends = states.flatMap(({ state }, number) => (state.status === 'completed' ? [number] : []));
  const safe = closure(ends, before);
  const explained = new Set(safe);
  const traps: Trap[] = [];
  for (const number of states.keys()) {
    if (explained.has(number)) continue;
    const trap = trapBehind(number, next, before);
    traps.push(trap);
    for (const led of closure(trap, before)) explained.add(led);
  }
  return traps;
}

/** Continues to states from which no path leads back, until there are none. */
function trapBehind(start: number, next: SearchResult['next'], before: readonly (readonly number[])[]): Trap {
  let number = start;
  for (;;) {
    const ahead = closure([number], next);
    const behind = closure([number], before);
    const further = [...ahead].find((other) => !behind.has(other));
    if (further === undefined) return [...ahead];
    number = further;
  }
}

function reversed(next: SearchResult['next']): readonly (readonly number[])[] {
  const before: number[][] = next.map(() => []);
  for (const [from, all] of next.entries()) for (const to of all) before[to]?.push(from);
  return before;
}

/** Returns the states that can be reached along the edges, including the first ones. */
function closure(from: Iterable<number>, edges: readonly (readonly number[])[]): ReadonlySet<number> {
  const reached = new Set(from);
  for (const number of reached) for (const to of edges[number] ?? []) reached.add(to);
  return reached;
}

/** Collects activities with transitions of which none is open, so that the session ends there unintentionally. */
export function createMissingTransitions(
  { activities }: Pick<ActivityWorkflow, 'activities'>,
  navigator: Navigator,
): {
  readonly add: (transition: StateTransition) => void;
  readonly findings: () => readonly ExplorationFinding[];
} {
  const parts = new Map(activities.map((part) => [part.id, part]));
  const found = new Map<string, ExplorationFinding>();
  return {
    findings: () => [...found.values()],
    add({ before, command, event }) {
      const { current } = before;
      if (event.type !== 'session-completed' || command.kind !== 'move' || current === undefined) return;
      const part = parts.get(current);
      const { transitions = [], decisions = [] } = part?.definition ?? {};
      if (part === undefined || found.has(current) || transitions.length + decisions.length === 0) return;
      const { transitions: open, here } = evaluateMove(before, command, navigator);
      if (open.length > 0) return;
      const names = new Set(
        [...conditionsOf(part.definition)]
          .filter(({ pointer }) => /^\/(decisions|transitions)\//.test(pointer))
          .flatMap(({ source }) => [...namesInCondition(source)]),
      );
      const values = [...names].map((name) => `${name} ${describe(lookUp(here.variables, name))}`);
      found.set(current, {
        severity: 'warning',
        code: 'missing-transition',
        file: part.file,
        pointer: `${part.pointer}/transitions`,
        message: `From activity '${current}' no way is open with ${values.join(', ')}: the session ends there`,
        suggestion: "Add a default transition, to 'end' if that is meant",
      });
    },
  };
}

function describe(value: unknown): string {
  return value === undefined || value === null ? 'not set' : `= ${showValue(value)}`;
}
