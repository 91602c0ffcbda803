import { Graph, layout } from '@dagrejs/dagre';
import type { EdgeLabel, GraphLabel, NodeLabel, Point } from '@dagrejs/dagre';
import { captionOf, frameCaptionOf } from '../caption.ts';
import type { DrawnNode, DrawnPicture } from '../drawn-picture.ts';
import type { Strand } from '../strands.ts';
import { strandsOf } from '../strands.ts';
import type { TextBlock } from './text-block.ts';
import { linePx, stack, textBlock } from './text-block.ts';

/** A box around a middle, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A node with its place. */
export interface PlacedNode extends Box {
  readonly node: DrawnNode;
  readonly text: TextBlock;
  readonly isGroup: boolean;
}

/** A strand with the points it goes through, and the place of its label. */
export interface PlacedStrand {
  readonly strand: Strand;
  readonly points: readonly Point[];
  readonly text: TextBlock;
  readonly at: Pick<Box, 'x' | 'y'>;
}

/** A picture laid out. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly strands: readonly PlacedStrand[];
}

const margin = 16;

/** Lays a picture out from the top down, groups around what they hold. */
export function layOut(picture: DrawnPicture): Layout {
  const groups = new Set(picture.nodes.map(({ parent }) => parent));
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 34, edgesep: 14, marginx: margin, marginy: margin });
  const nodes = picture.nodes.map((node) => ({ node, ...measureNode(node, groups.has(node.id)) }));
  for (const { node, width, height } of nodes) graph.setNode(node.id, { width, height });
  for (const { id, parent } of picture.nodes) if (parent !== undefined) graph.setParent(id, parent);
  const strands = strandsOf(picture).map((strand) => ({ strand, text: labelOf(strand) }));
  for (const { strand, text } of strands) graph.setEdge(strand.from, strand.to, room(text), strand.id);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width: Math.ceil(width),
    height: Math.ceil(height) + headPx,
    nodes: nodes.map(({ node, text, isGroup }) => ({
      node,
      text,
      isGroup,
      ...boxOf(graph.node(node.id), isGroup ? headPx : 0),
    })),
    strands: strands.map(({ strand, text }) => {
      const { points = [], x = 0, y = 0 } = graph.edge(strand.from, strand.to, strand.id);
      return { strand, text, points, at: { x, y } };
    }),
  };
}

/** What a group is called stands above all it holds. */
const headPx = 14;

function labelOf({ captions }: Strand): TextBlock {
  return stack(captions.map((caption) => textBlock(caption, { columns: 26, lines: 4 })));
}

/** A label as wide as this; an edge without one needs no room. */
function room({ width, height }: TextBlock): EdgeLabel {
  return width === 0 ? { width: 0, height: 0 } : { width: width + 8, height: height + 4, labelpos: 'c' };
}

/** How much wider and higher than its text a shape is. */
const padding: Readonly<Partial<Record<DrawnNode['kind'], readonly [number, number]>>> = {
  choice: [48, 22],
  decision: [48, 22],
  gate: [44, 14],
  round: [44, 12],
};

function measureNode(
  node: DrawnNode,
  isGroup: boolean,
): Pick<PlacedNode, 'text' | 'isGroup' | 'width' | 'height'> {
  if (isGroup) {
    const text = textBlock(frameCaptionOf(node), { columns: 44, lines: 1 });
    return { text, isGroup, width: text.width + 24, height: linePx };
  }
  const text = textBlock(captionOf(node));
  if (node.kind === 'exit') return { text, isGroup, width: 14, height: 14 };
  const [across, down] = padding[node.kind] ?? [24, 14];
  return { text, isGroup, width: text.width + across, height: text.height + down };
}

function boxOf({ x = 0, y = 0, width, height }: NodeLabel, head: number): Box {
  return { x, y: y - head / 2, width, height: height + head };
}
