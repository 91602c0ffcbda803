import type { SessionDiagramEdge, Diagram, DiagramEdge, DiagramKind } from './diagram.ts';
import type { ReachedNode } from './locate-nodes.ts';

/** The path of a session through a diagram. */
export interface SessionPath {
  /** How often each node was visited. */
  readonly passes: ReadonlyMap<string, number>;
  /** How often each edge was taken. */
  readonly taken: ReadonlyMap<string, number>;
  readonly leaps: readonly SessionDiagramEdge[];
}

/**
 * Follows a session from stop to stop along the edges, choosing the shortest path if there are several. The content of
 * a skipped activity is not visited.
 */
export function followPath(
  picture: Diagram,
  stops: readonly ReachedNode[],
  isPassedOver: (id: string) => boolean,
): SessionPath {
  const passes = new Map<string, number>();
  const taken = new Map<string, number>();
  const leaps = new Map<string, SessionDiagramEdge>();
  const route = createRouter(picture, isPassedOver);
  let here: string | undefined;
  const go = (stop: ReachedNode): void => {
    const edges = here === undefined ? [] : route(here, stop);
    for (const { id } of edges ?? []) count(taken, id);
    for (const { to } of edges?.slice(0, -1) ?? []) if (!isPassedOver(to)) count(passes, to);
    if (edges === undefined) leap(here ?? '', stop);
    if (here !== stop.node) count(passes, stop.node);
    here = stop.node;
  };
  const leap = (from: string, stop: ReachedNode): void => {
    const edge = leapOf(picture, from, stop);
    if (edge !== undefined) leaps.set(edge.id, { ...edge, taken: (leaps.get(edge.id)?.taken ?? 0) + 1 });
  };
  for (const stop of stops) {
    const left = stop.by?.find((node) => route(node, stop) !== undefined) ?? stop.by?.at(-1);
    if (left !== undefined) go({ node: left, answers: stop.answers });
    go(stop);
  }
  return { passes, taken, leaps: [...leaps.values()] };
}

function count(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}

/** Only the manifest shows what happened inside an activity, so a leap connects activities, or steps. */
function leapOf(
  { nodes, workflow }: Diagram,
  from: string,
  { node: to, by }: ReachedNode,
): SessionDiagramEdge | undefined {
  const isInside = workflow.kind === 'activities' && by === undefined;
  const known = new Set(nodes.map(({ id }) => id));
  if (isInside || !known.has(from) || !known.has(to)) return undefined;
  return { id: `leap:${from}>${to}`, from, to, kind: 'leap', taken: 0 };
}

/** Returns the edges from a node to a stop, or `undefined` if no path leads there. */
type Router = (from: string, stop: ReachedNode) => readonly DiagramEdge[] | undefined;

/** Nodes that lie between steps and are passed without a trace of their own. */
const between: ReadonlySet<DiagramKind> = new Set(['choice', 'decision', 'round']);

/**
 * Finds the shortest paths through a diagram that visit no step and no checkpoint or, if there is none, a path through
 * skipped activities.
 */
function createRouter(picture: Diagram, isPassedOver: (id: string) => boolean): Router {
  const direct = createSearch(picture, () => false);
  const roundabout = createSearch(picture, isPassedOver);
  return (from, stop) => direct(from, stop) ?? roundabout(from, stop);
}

function createSearch({ nodes, edges }: Diagram, isOpen: (id: string) => boolean): Router {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const leaving = new Map<string, DiagramEdge[]>();
  for (const edge of edges) leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);

  /**
   * The last activity of a loop has the transitions of the activity that has the loop, through the loop's round or that
   * activity's exit.
   */
  function isPassed({ from, to }: DiagramEdge): boolean {
    const { kind = 'step', parent } = known.get(to) ?? {};
    const before = known.get(from);
    return (
      isOpen(to) ||
      between.has(kind) ||
      (kind === 'exit' && before?.kind === 'round' && before.parent === parent)
    );
  }

  /** Nobody answers in a skipped activity, so its answers lead nowhere. */
  function isGone({ from, options, by }: DiagramEdge, { answers }: ReachedNode): boolean {
    if (options === undefined || options.some((option) => answers.includes(option))) return true;
    return by === undefined && isOpen(from);
  }

  return (from, stop) => {
    const seen = new Set<string>();
    const open: { readonly at: string; readonly gone: readonly DiagramEdge[] }[] = [{ at: from, gone: [] }];
    for (const { at, gone } of open) {
      for (const edge of (leaving.get(at) ?? []).filter((one) => isGone(one, stop))) {
        if (edge.to === stop.node) return [...gone, edge];
        if (seen.has(edge.to) || !isPassed(edge)) continue;
        seen.add(edge.to);
        open.push({ at: edge.to, gone: [...gone, edge] });
      }
    }
    return undefined;
  };
}
