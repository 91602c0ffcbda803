import type { Spot } from './draw-choice.ts';
import type { LooseEnd, Sketch } from './sketch.ts';
import { nodeId } from './sketch.ts';

/** A loop as it is drawn. */
interface DrawnLoop {
  readonly ref: string;
  readonly title: string;
  /** How often it goes round. */
  readonly rounds: string;
}

/** Draws a loop as a group around its body, with a node from which each round begins and the loop is left. */
export function drawLoop(
  sketch: Sketch,
  { loop, spot }: { readonly loop: DrawnLoop; readonly spot: Spot },
  draw: (spot: Spot) => readonly LooseEnd[],
): readonly LooseEnd[] {
  const { ref, title, rounds } = loop;
  const group = nodeId('loop', ...spot.path);
  const round = nodeId('round', ...spot.path);
  const parent = spot.parent === undefined ? {} : { parent: spot.parent };
  sketch.add({ id: group, kind: 'loop', label: title, ...parent, ref, rounds });
  sketch.add({ id: round, kind: 'round', label: rounds, parent: group, ref }, spot.ends);
  const body = draw({
    path: spot.path,
    parent: group,
    ends: [{ from: round, kind: 'round', label: 'each round' }],
  });
  sketch.connect(body, round);
  return [{ from: round, kind: 'next', label: 'done' }];
}
