import type { EdgeProps } from '@xyflow/react';
import { BaseEdge } from '@xyflow/react';
import type { ReactNode } from 'react';
import type { FlowEdge } from './flow-of.ts';
import type { Routed } from './lay-out.ts';

/** A way from one node to the next, along the bends of the layout. */
export function WayEdge({ data, label, markerEnd }: EdgeProps<FlowEdge>): ReactNode {
  if (data === undefined) return null;
  const { points, x, y } = data.way;
  return (
    <BaseEdge
      path={pathOf(points)}
      label={label}
      labelX={x}
      labelY={y}
      {...(markerEnd !== undefined && { markerEnd })}
    />
  );
}

/** A line through the points, with its corners rounded. */
function pathOf(points: Routed['points']): string {
  const bends = points.slice(1, -1).map((bend, at) => {
    const next = points[at + 2] ?? bend;
    const isLast = at === points.length - 3;
    const to = isLast ? next : { x: (bend.x + next.x) / 2, y: (bend.y + next.y) / 2 };
    return `Q ${bend.x} ${bend.y} ${to.x} ${to.y}`;
  });
  const [first = { x: 0, y: 0 }, second = first] = points;
  return [`M ${first.x} ${first.y}`, ...(bends.length === 0 ? [`L ${second.x} ${second.y}`] : bends)].join(
    ' ',
  );
}
