import { Graph, layout } from '@dagrejs/dagre';
import type { Picture, PictureNode } from '../contract.ts';
import { hasFoot } from './kind-icons.ts';

/** A place in the picture, in pixels; x and y are of its upper left corner. */
interface Placed {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const charsALine = 22;
const nodeWidth = 208;
const maxLabelWidth = 180;

/** A way through the picture: where it bends, and where its label stands. */
export interface Routed {
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly x: number;
  readonly y: number;
}

/** Where everything in a picture stands. */
export interface LaidOut {
  readonly places: ReadonlyMap<string, Placed>;
  /** By id of an edge. */
  readonly ways: ReadonlyMap<string, Routed>;
}

/** Lays a picture out: nodes in ranks from top to bottom, what a group holds inside it, ways around what is between. */
export function layOut({ nodes, edges }: Picture): LaidOut {
  const groups = groupsOf(nodes);
  const graph = new Graph({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 44, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, groups.has(node.id) ? {} : sizeOf(node));
  for (const { id, parent } of nodes)
    if (parent !== undefined && groups.has(parent)) graph.setParent(id, parent);
  for (const { id, from, to, label = '' } of edges) {
    const width = Math.min(label.length * 6.5, maxLabelWidth);
    graph.setEdge(from, to, { width, height: label === '' ? 0 : 18, labelpos: 'c' }, id);
  }
  layout(graph);
  return {
    places: new Map(nodes.map(({ id }) => [id, placeOf(graph.node(id) as Placed)])),
    ways: new Map(edges.map(({ id, from, to }) => [id, graph.edge(from, to, id) as unknown as Routed])),
  };
}

/** Ids of nodes that hold others. Ways lead from and to nodes that are none. */
export function groupsOf(nodes: readonly PictureNode[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ parent }) => (parent === undefined ? [] : [parent])));
}

function sizeOf(node: PictureNode): { readonly width: number; readonly height: number } {
  const { label, kind } = node;
  if (kind === 'exit') return { width: 14, height: 14 };
  if (kind === 'start' || kind === 'end') return { width: 120, height: hasFoot(node) ? 48 : 32 };
  const lines = Math.min(3, Math.max(1, Math.ceil(label.length / charsALine)));
  return { width: nodeWidth, height: (hasFoot(node) ? 30 : 14) + lines * 20 };
}

/** The layout gives centres. */
function placeOf({ x, y, width, height }: Placed): Placed {
  return { x: x - width / 2, y: y - height / 2, width, height };
}
