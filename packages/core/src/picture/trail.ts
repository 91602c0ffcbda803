import type { PaintedEdge } from './painted-picture.ts';
import type { Picture } from './picture.ts';
import { createRouter } from './router.ts';
import type { Stop } from './stops.ts';

/** The way a session took through a picture. */
export interface Trail {
  /** How often each node was come to or passed through. */
  readonly passes: ReadonlyMap<string, number>;
  /** How often each edge was taken. */
  readonly taken: ReadonlyMap<string, number>;
  /** Moves that no edge stands for. */
  readonly leaps: readonly PaintedEdge[];
}

/**
 * Follows a session from stop to stop along the edges; where several ways lead there, along the shortest. What is in an
 * activity that was passed over is not passed itself.
 */
export function followTrail(
  picture: Picture,
  stops: readonly Stop[],
  isPassedOver: (id: string) => boolean,
): Trail {
  const passes = new Map<string, number>();
  const taken = new Map<string, number>();
  const leaps = new Map<string, PaintedEdge>();
  const route = createRouter(picture, isPassedOver);
  let here: string | undefined;
  const go = (stop: Stop): void => {
    const edges = here === undefined ? [] : route(here, stop);
    for (const { id } of edges ?? []) count(taken, id);
    for (const { to } of edges?.slice(0, -1) ?? []) if (!isPassedOver(to)) count(passes, to);
    if (edges === undefined) leap(here ?? '', stop);
    if (here !== stop.node) count(passes, stop.node);
    here = stop.node;
  };
  const leap = (from: string, stop: Stop): void => {
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

/** What happens inside an activity is known as far as its manifest tells: a leap is between activities, or steps. */
function leapOf({ nodes, workflow }: Picture, from: string, { node: to, by }: Stop): PaintedEdge | undefined {
  const isInside = workflow.kind === 'activities' && by === undefined;
  const known = new Set(nodes.map(({ id }) => id));
  if (isInside || !known.has(from) || !known.has(to)) return undefined;
  return { id: `leap:${from}>${to}`, from, to, kind: 'leap', taken: 0 };
}
