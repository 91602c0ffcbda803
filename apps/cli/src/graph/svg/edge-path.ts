import type { PlacedStrand } from './lay-out.ts';
import { px } from './shape.ts';

type Point = PlacedStrand['points'][number];

/** A curve through the points of a strand, and the tip at its end. */
export function edgePath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return '';
  const curves = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? last;
    const middle = at === rest.length - 2 ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${place(point)} ${place(middle)}`;
  });
  const line = curves.length === 0 ? [`L${place(last)}`] : curves;
  return `<path d="M${place(first)} ${line.join(' ')}"/>${tip(rest.at(-2) ?? first, last)}`;
}

const tipPx = 8;

/** A triangle that points from one place to another. */
function tip(from: Point, to: Point): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [((to.x - from.x) / length) * tipPx, ((to.y - from.y) / length) * tipPx];
  const base = { x: to.x - dx, y: to.y - dy };
  const sides = [
    { x: base.x - dy / 2, y: base.y + dx / 2 },
    { x: base.x + dy / 2, y: base.y - dx / 2 },
  ];
  return `<polygon class="tip" points="${[to, ...sides].map(place).join(' ')}"/>`;
}

function place({ x, y }: Point): string {
  return `${px(x)},${px(y)}`;
}
