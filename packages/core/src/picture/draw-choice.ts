import type { LooseEnd, Sketch } from './sketch.ts';
import { nodeId } from './sketch.ts';

/** Where something is drawn: the path of ids that leads there, the group it stands in, and what leads to it. */
export interface Spot {
  readonly path: readonly string[];
  readonly parent?: string;
  readonly ends: readonly LooseEnd[];
}

/** Draws something behind its condition, where it has one, and returns what leads on from it and past it. */
export function drawChoice(
  sketch: Sketch,
  { when, spot }: { readonly when?: string | undefined; readonly spot: Spot },
  draw: (spot: Spot) => readonly LooseEnd[],
): readonly LooseEnd[] {
  if (when === undefined) return draw(spot);
  const id = nodeId('choice', ...spot.path);
  const parent = spot.parent === undefined ? {} : { parent: spot.parent };
  sketch.add({ id, kind: 'choice', label: when, ...parent }, spot.ends);
  const inside = draw({ ...spot, ends: [{ from: id, kind: 'branch', label: 'yes' }] });
  return [...inside, { from: id, kind: 'branch', label: 'no' }];
}
