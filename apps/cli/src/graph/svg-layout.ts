import stringWidth from 'string-width';
import type { EdgeLabel, GraphLabel, NodeLabel, Point } from '@dagrejs/dagre';
import { Graph, layout } from '@dagrejs/dagre';
import type { DrawnNode, DrawnDiagram, DrawnLine } from './drawn-diagram.ts';
import { captionOf, frameCaptionOf, linesToDraw } from './drawn-diagram.ts';

/** A box with its centre, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedNode extends Box {
  readonly node: DrawnNode;
  readonly text: TextBlock;
  readonly isGroup: boolean;
}

export interface PlacedLine {
  readonly strand: DrawnLine;
  readonly points: readonly Point[];
  readonly text: TextBlock;
  readonly at: Pick<Box, 'x' | 'y'>;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly strands: readonly PlacedLine[];
}

const margin = 16;

/** Lays out a picture from top to bottom, with each group around its nodes. */
export function layOut(picture: DrawnDiagram): Layout {
  const groups = new Set(picture.nodes.map(({ parent }) => parent));
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 34, edgesep: 14, marginx: margin, marginy: margin });
  const nodes = picture.nodes.map((node) => ({ node, ...measureNode(node, groups.has(node.id)) }));
  for (const { node, width, height } of nodes) graph.setNode(node.id, { width, height });
  for (const { id, parent } of picture.nodes) if (parent !== undefined) graph.setParent(id, parent);
  const strands = linesToDraw(picture).map((strand) => ({ strand, text: labelOf(strand) }));
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

/** The space for the name of a group above its nodes. */
const headPx = 14;

function labelOf({ captions }: DrawnLine): TextBlock {
  return stack(captions.map((caption) => textBlock(caption, { columns: 26, lines: 4 })));
}

/** Returns the space for a label. An edge without one needs none. */
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

/** Lines of text with their size in pixels. */
export interface TextBlock {
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
}

/**
 * The width of a character in a common typeface at 13 pixels, slightly above average so that labels stay in their
 * boxes.
 */
const columnPx = 7.4;
export const linePx = 17;

interface Limits {
  readonly columns: number;
  readonly lines: number;
}

/** Breaks a text into lines at spaces. A text that is too long ends in an ellipsis. */
function textBlock(text: string, { columns, lines: most }: Limits = { columns: 30, lines: 4 }): TextBlock {
  const all = breakLines(text, columns);
  const lines = all.length > most ? [...all.slice(0, most - 1), `${all[most - 1] ?? ''}…`] : all;
  const width = Math.max(0, ...lines.map((line) => stringWidth(line)));
  return { lines, width: Math.ceil(width * columnPx), height: lines.length * linePx };
}

function stack(blocks: readonly TextBlock[]): TextBlock {
  return {
    lines: blocks.flatMap(({ lines }) => lines),
    width: Math.max(0, ...blocks.map(({ width }) => width)),
    height: blocks.reduce((sum, { height }) => sum + height, 0),
  };
}

function breakLines(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').flatMap((one) => breakWord(one, columns))) {
    const last = lines.at(-1);
    const longer = `${last} ${word}`;
    if (last !== undefined && stringWidth(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.filter((line) => line !== '');
}

function breakWord(word: string, columns: number): readonly string[] {
  const parts = [''];
  for (const char of word) {
    const longer = `${parts.at(-1) ?? ''}${char}`;
    if (stringWidth(longer) <= columns) parts[parts.length - 1] = longer;
    else parts.push(char);
  }
  return parts;
}
