import type { Edge, Node } from '@xyflow/react';
import { MarkerType } from '@xyflow/react';
import type {
  PaintedEdge,
  PaintedNode,
  PaintedPicture,
  Picture,
  PictureEdge,
  PictureNode,
} from '../contract.ts';
import { shortText } from '../parts/short-text.ts';
import type { LaidOut, Routed } from './lay-out.ts';
import { groupsOf } from './lay-out.ts';

/** What a drawn node shows. */
export type FlowNode = Node<{ readonly node: PictureNode | PaintedNode; readonly isMarked: boolean }>;

/** What a drawn way follows. */
export type FlowEdge = Edge<{ readonly way: Routed }>;

const maxLabel = 28;

/** A picture as the library draws it. `marked` are the ids authors gave to what stands out. */
export function flowOf(
  graph: Picture | PaintedPicture,
  { places, ways }: LaidOut,
  marked: ReadonlySet<string>,
): { readonly nodes: FlowNode[]; readonly edges: FlowEdge[] } {
  const groups = groupsOf(graph.nodes);
  return {
    nodes: graph.nodes.flatMap((node): FlowNode[] => {
      const place = places.get(node.id);
      if (place === undefined) return [];
      const { x, y, width, height } = place;
      const isGroup = groups.has(node.id);
      return [
        {
          id: node.id,
          type: isGroup ? 'holder' : 'place',
          position: { x, y },
          width,
          height,
          zIndex: isGroup ? -1 : 1,
          data: { node, isMarked: node.ref !== undefined && marked.has(node.ref) },
        },
      ];
    }),
    edges: graph.edges.flatMap((edge): FlowEdge[] => {
      const way = ways.get(edge.id);
      return way === undefined ? [] : [drawn(edge, way)];
    }),
  };
}

function drawn(edge: PictureEdge | PaintedEdge, way: Routed): FlowEdge {
  const { id, from, to, label } = edge;
  const isTaken = 'taken' in edge && edge.taken > 0;
  return {
    id,
    source: from,
    target: to,
    type: 'way',
    data: { way },
    className: isTaken ? 'taken' : 'ahead',
    markerEnd: { type: MarkerType.ArrowClosed, color: `var(${isTaken ? '--done' : '--line-strong'})` },
    ...(label !== undefined && { label: shortText(label, maxLabel) }),
  };
}
