import type { Picture, PictureEdge, PictureKind } from './picture.ts';
import type { Stop } from './stops.ts';

/** The edges from a node to a stop, `undefined` where none lead there. */
export type Router = (from: string, stop: Stop) => readonly PictureEdge[] | undefined;

/** Nodes that lie between steps and are passed without a trace of their own. */
const between: ReadonlySet<PictureKind> = new Set(['choice', 'decision', 'round']);

/**
 * Finds the shortest ways through a picture that pass no step, and no checkpoint; where there is none, one that leads
 * through activities that were passed over.
 */
export function createRouter(picture: Picture, isPassedOver: (id: string) => boolean): Router {
  const direct = createSearch(picture, () => false);
  const roundabout = createSearch(picture, isPassedOver);
  return (from, stop) => direct(from, stop) ?? roundabout(from, stop);
}

function createSearch({ nodes, edges }: Picture, isOpen: (id: string) => boolean): Router {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const leaving = new Map<string, PictureEdge[]>();
  for (const edge of edges) leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);

  /** The last activity of a loop has the ways of the activity that has the loop: through its round, by its exit. */
  function isPassed({ from, to }: PictureEdge): boolean {
    const { kind = 'step', parent } = known.get(to) ?? {};
    const before = known.get(from);
    return (
      isOpen(to) ||
      between.has(kind) ||
      (kind === 'exit' && before?.kind === 'round' && before.parent === parent)
    );
  }

  /** Nobody answers in an activity that is passed over, and its answers lead nowhere. */
  function isGone({ from, options, by }: PictureEdge, { answers }: Stop): boolean {
    if (options === undefined || options.some((option) => answers.includes(option))) return true;
    return by === undefined && isOpen(from);
  }

  return (from, stop) => {
    const seen = new Set<string>();
    const open: { readonly at: string; readonly gone: readonly PictureEdge[] }[] = [{ at: from, gone: [] }];
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
