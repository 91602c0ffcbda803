import type { PictureKind } from '@workflowlookup/core';
import type { Box, PlacedNode } from './lay-out.ts';

/** The outline of a node. */
export function shapeOf(placed: PlacedNode): string {
  return placed.isGroup ? rectangle(placed, 8) : shapes[placed.node.kind](placed);
}

const shapes: Readonly<Record<PictureKind, (box: Box) => string>> = {
  activity: (box) => rectangle(box, 10),
  choice: (box) => hexagon(box, 18),
  decision: (box) => hexagon(box, 18),
  end: (box) => rectangle(box, box.height / 2),
  exit: (box) => rectangle(box, box.height / 2),
  gate: (box) => hexagon(box, 12),
  loop: (box) => rectangle(box, 3),
  missing: (box) => rectangle(box, 3),
  round: (box) => trapezoid(box, 12),
  start: (box) => rectangle(box, box.height / 2),
  step: (box) => rectangle(box, 3),
};

function rectangle({ x, y, width, height }: Box, radius: number): string {
  return `<rect x="${px(x - width / 2)}" y="${px(y - height / 2)}" width="${px(width)}" height="${px(height)}" rx="${px(radius)}"/>`;
}

function hexagon({ x, y, width, height }: Box, slant: number): string {
  const [inner, outer, half] = [width / 2 - slant, width / 2, height / 2];
  return polygon([
    [x - inner, y - half],
    [x + inner, y - half],
    [x + outer, y],
    [x + inner, y + half],
    [x - inner, y + half],
    [x - outer, y],
  ]);
}

function trapezoid({ x, y, width, height }: Box, slant: number): string {
  const [inner, outer, half] = [width / 2 - slant, width / 2, height / 2];
  return polygon([
    [x - inner, y - half],
    [x + inner, y - half],
    [x + outer, y + half],
    [x - outer, y + half],
  ]);
}

function polygon(points: readonly (readonly [number, number])[]): string {
  return `<polygon points="${points.map(([x, y]) => `${px(x)},${px(y)}`).join(' ')}"/>`;
}

/** A length, to a tenth of a pixel. */
export function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}
