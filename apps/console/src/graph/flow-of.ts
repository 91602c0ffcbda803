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
import { groupsOf, layOut, leafOf } from './lay-out.ts';

/** What a drawn node shows. */
export type FlowNode = Node<{ readonly node: PictureNode | PaintedNode; readonly isMarked: boolean }>;

const maxLabel = 30;

/** A picture as the library draws it, laid out. `marked` are the ids authors gave to what stands out. */
export function flowOf(
  graph: Picture | PaintedPicture,
  marked: ReadonlySet<string>,
): { readonly nodes: FlowNode[]; readonly edges: Edge[] } {
  const places = layOut(graph);
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
          type: isGroup ? 'group-of-nodes' : 'place',
          position: { x, y },
          width,
          height,
          zIndex: isGroup ? -1 : 1,
          data: { node, isMarked: node.ref !== undefined && marked.has(node.ref) },
        },
      ];
    }),
    edges: graph.edges.map((edge, at) => drawn(edge, at, groups)),
  };
}

function drawn(edge: PictureEdge | PaintedEdge, at: number, groups: ReadonlyMap<string, string>): Edge {
  const { from, to, label } = edge;
  const isTaken = 'taken' in edge && edge.taken > 0;
  return {
    id: `${at}`,
    source: leafOf(from, groups),
    target: leafOf(to, groups),
    type: 'smoothstep',
    className: isTaken ? 'taken' : 'ahead',
    markerEnd: { type: MarkerType.ArrowClosed, color: `var(${isTaken ? '--done' : '--line-strong'})` },
    ...(label !== undefined && { label: label.length > maxLabel ? `${label.slice(0, maxLabel)}…` : label }),
  };
}
