import { Graph, layout } from '@dagrejs/dagre';
import type { Edge, Node } from '@xyflow/react';
import { MarkerType } from '@xyflow/react';
import type { LucideIcon } from 'lucide-react';
import { Flag, Hand, Repeat, Split, TriangleAlert } from 'lucide-react';
import { truncate } from '../components/format.ts';
import type {
  SessionDiagramEdge,
  SessionDiagramNode,
  SessionDiagram,
  Diagram,
  DiagramEdge,
  DiagramNode,
} from '../contract/index.ts';
import { partOf, targetOfNode } from './graph-targets.ts';

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The rectangle of a node. `x` and `y` are its upper left corner. */
interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

const charsALine = 22;
const nodeWidth = 208;
const maxLabelWidth = 180;

/** The points of an edge, and the centre of its label. */
export interface EdgeRoute {
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly x: number;
  readonly y: number;
}

/** The size of the whole graph, and the position of every node and edge in it. */
interface Layout extends Size {
  readonly boxOf: (node: DiagramNode) => Box;
  readonly routeOf: (edge: DiagramEdge) => EdgeRoute;
}

/**
 * Computes the layout of a graph: nodes in ranks from top to bottom, children inside their parents, and edges around
 * nodes.
 */
export function layOut({ nodes, edges }: Diagram): Layout {
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
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    boxOf: ({ id }) => {
      // dagre returns the centre of a node.
      const { x, y, ...size } = graph.node(id) as Box;
      return { x: x - size.width / 2, y: y - size.height / 2, ...size };
    },
    routeOf: ({ id, from, to }) => graph.edge(from, to, id),
  };
}

/** Returns the ids of nodes with children. Edges never start or end at these. */
function groupsOf(nodes: readonly DiagramNode[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ parent }) => (parent === undefined ? [] : [parent])));
}

function sizeOf(node: DiagramNode): Size {
  const { label, kind } = node;
  if (kind === 'exit') return { width: 14, height: 14 };
  if (kind === 'start' || kind === 'end') return { width: 120, height: hasFooter(node) ? 48 : 32 };
  const lines = Math.min(3, Math.max(1, Math.ceil(label.length / charsALine)));
  return { width: nodeWidth, height: (hasFooter(node) ? 30 : 14) + lines * 20 };
}

/** The data of a rendered node. */
export type FlowNode = Node<{
  readonly node: DiagramNode | SessionDiagramNode;
  readonly isHighlighted: boolean;
  /** The part of the workflow that it is, as in {@link partOf}. */
  readonly part: string | undefined;
}>;

/** The data of a rendered edge. */
export type FlowEdge = Edge<{ readonly route: EdgeRoute }>;

const maxLabel = 28;

/**
 * Converts a graph to nodes and edges of React Flow. `highlighted` has the ids of steps and activities as authors
 * wrote them.
 */
export function toFlow(
  graph: Diagram | SessionDiagram,
  { boxOf, routeOf }: Layout,
  highlighted: ReadonlySet<string>,
): { readonly nodes: FlowNode[]; readonly edges: FlowEdge[] } {
  const groups = groupsOf(graph.nodes);
  return {
    nodes: graph.nodes.map((node): FlowNode => {
      const { x, y, width, height } = boxOf(node);
      const isGroup = groups.has(node.id);
      return {
        id: node.id,
        type: isGroup ? 'container' : 'node',
        position: { x, y },
        width,
        height,
        zIndex: isGroup ? -1 : 1,
        data: {
          node,
          isHighlighted: node.ref !== undefined && highlighted.has(node.ref),
          part: partOfNode(graph, node),
        },
      };
    }),
    edges: graph.edges.map((edge) => toFlowEdge(edge, routeOf(edge))),
  };
}

/** Returns the part that a node stands for, or `undefined` if it is only a part of the drawing. */
function partOfNode(graph: Diagram, { id, kind }: DiagramNode): string | undefined {
  const target =
    kind === 'step' || kind === 'checkpoint' || kind === 'activity' ? targetOfNode(graph, id) : undefined;
  return target && partOf(target);
}

function toFlowEdge(edge: DiagramEdge | SessionDiagramEdge, route: EdgeRoute): FlowEdge {
  const { id, from, to, label } = edge;
  const isTaken = 'taken' in edge && edge.taken > 0;
  return {
    id,
    source: from,
    target: to,
    type: 'route',
    data: { route },
    className: isTaken ? 'taken' : 'ahead',
    markerEnd: { type: MarkerType.ArrowClosed, color: `var(${isTaken ? '--done' : '--line-strong'})` },
    ...(label !== undefined && { label: truncate(label, maxLabel) }),
  };
}

/** The icon for each kind of node. Steps and activities have none. */
export const kindIcons: Partial<Readonly<Record<DiagramNode['kind'], LucideIcon>>> = {
  choice: Split,
  decision: Split,
  end: Flag,
  checkpoint: Hand,
  loop: Repeat,
  missing: TriangleAlert,
  round: Repeat,
};

/** Returns whether a node has a second line below its label. */
export function hasFooter(node: DiagramNode | SessionDiagramNode): boolean {
  return 'state' in node || node.approver !== undefined || kindIcons[node.kind] !== undefined;
}
