import type { Viewport } from '@xyflow/react';
import type { FlowNode } from './flow-of.ts';

const margin = 16;
/** Below this, labels can't be read. */
const leastZoom = 0.7;

/**
 * What of a picture is shown first, in a box of this size: all of it where that can be read, else where the run stands, or
 * where the workflow begins.
 */
export function firstView(
  nodes: readonly FlowNode[],
  { width, height }: { readonly width: number; readonly height: number },
): Viewport {
  const right = Math.max(...nodes.map((node) => node.position.x + (node.width ?? 0)));
  const bottom = Math.max(...nodes.map((node) => node.position.y + (node.height ?? 0)));
  const whole = Math.min((width - 2 * margin) / right, (height - 2 * margin) / bottom, 1);
  if (whole >= leastZoom) return { zoom: whole, x: (width - right * whole) / 2, y: margin };
  const zoom = Math.min(Math.max((width - 2 * margin) / right, leastZoom), 1);
  const middle = (node: FlowNode): number => (node.position.x + (node.width ?? 0) / 2) * zoom;
  const focus = nodes.findLast(({ data: { node } }) => 'state' in node && node.state === 'current');
  const centre = focus ?? nodes[0];
  const x = right * zoom <= width ? (width - right * zoom) / 2 : width / 2 - (centre ? middle(centre) : 0);
  const y = focus === undefined ? margin : Math.min(margin, height / 2 - focus.position.y * zoom);
  return { zoom, x, y };
}
