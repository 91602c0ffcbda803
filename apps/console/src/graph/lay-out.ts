import { Graph as DagreGraph, layout } from '@dagrejs/dagre';
import type { Picture, PictureNode } from '../contract.ts';

/** A place in the picture, in pixels; x and y are of its upper left corner. */
export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const charsALine = 26;
const nodeWidth = 208;
const maxLabelWidth = 180;

/** Where each node of a picture stands: in ranks from top to bottom, what a group holds inside it. */
export function layOut({ nodes, edges }: Picture): ReadonlyMap<string, Placed> {
  const groups = groupsOf(nodes);
  const graph = new DagreGraph({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 44, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, groups.has(node.id) ? {} : sizeOf(node));
  for (const { id, parent } of nodes)
    if (parent !== undefined && groups.has(parent)) graph.setParent(id, parent);
  edges.forEach(({ from, to, label = '' }, at) => {
    const [start, end] = [leafOf(from, groups), leafOf(to, groups)];
    if (!graph.hasNode(start) || !graph.hasNode(end)) return;
    const width = Math.min(label.length * 6.5, maxLabelWidth);
    graph.setEdge(start, end, { width, height: label === '' ? 0 : 18, labelpos: 'c' }, String(at));
  });
  layout(graph);
  return new Map(nodes.map(({ id }) => [id, placeOf(graph.node(id) as DagrePlace)]));
}

/** Ids of nodes that hold others, with the first of those. */
export function groupsOf(nodes: readonly PictureNode[]): ReadonlyMap<string, string> {
  const groups = new Map<string, string>();
  for (const { id, parent } of nodes) if (parent !== undefined && !groups.has(parent)) groups.set(parent, id);
  return groups;
}

/** A layout has no ways to groups: one that leads there leads to the first node inside. */
export function leafOf(id: string, groups: ReadonlyMap<string, string>): string {
  const first = groups.get(id);
  return first === undefined ? id : leafOf(first, groups);
}

function sizeOf({ label, kind }: PictureNode): { readonly width: number; readonly height: number } {
  if (kind === 'exit') return { width: 14, height: 14 };
  if (kind === 'start' || kind === 'end') return { width: 120, height: 48 };
  const lines = Math.min(3, Math.max(1, Math.ceil(label.length / charsALine)));
  return { width: nodeWidth, height: 26 + lines * 20 };
}

interface DagrePlace extends Placed {}

/** The layout gives centres. */
function placeOf({ x, y, width, height }: DagrePlace): Placed {
  return { x: x - width / 2, y: y - height / 2, width, height };
}
