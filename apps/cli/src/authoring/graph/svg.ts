import type { EdgeLabel, GraphLabel, NodeLabel, Point } from '@dagrejs/dagre';
import { Graph, layout } from '@dagrejs/dagre';
import type { DiagramKind } from '@workflowlookup/diagrams';
import { plainLine, widthOf, withoutCommands, withoutUnsafe } from '../../terminal/plain-text.ts';
import type { DrawnNode, DrawnDiagram, DrawnLine } from './drawn-diagram.ts';
import { captionOf, frameCaptionOf, linesToDraw, detailsOf } from './drawn-diagram.ts';

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
  return stack(captions.map((caption) => textBlock(caption, 26)));
}

/** Returns the space for a label. An edge without one needs none. */
function room({ width, height }: TextBlock): EdgeLabel {
  return width === 0 ? { width: 0, height: 0 } : { width: width + 8, height: height + 4, labelpos: 'c' };
}

/** How much wider and higher than its text a shape is. */
const padding: Readonly<Partial<Record<DrawnNode['kind'], readonly [number, number]>>> = {
  choice: [48, 22],
  decision: [48, 22],
  checkpoint: [44, 14],
  round: [44, 12],
};

function measureNode(
  node: DrawnNode,
  isGroup: boolean,
): Pick<PlacedNode, 'text' | 'isGroup' | 'width' | 'height'> {
  if (isGroup) {
    const text = textBlock(frameCaptionOf(node), 44, 1);
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

/** Breaks a text into lines at spaces. A text that is too long ends in an ellipsis. */
function textBlock(text: string, columns = 30, most = 4): TextBlock {
  const all = breakLines(text, columns);
  const lines = all.length > most ? [...all.slice(0, most - 1), `${all[most - 1] ?? ''}…`] : all;
  const width = Math.max(0, ...lines.map((line) => widthOf(line)));
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
    if (last !== undefined && widthOf(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.filter((line) => line !== '');
}

function breakWord(word: string, columns: number): readonly string[] {
  const parts = [''];
  for (const char of word) {
    const longer = `${parts.at(-1) ?? ''}${char}`;
    if (widthOf(longer) <= columns) parts[parts.length - 1] = longer;
    else parts.push(char);
  }
  return parts;
}

/** Returns a picture as a self-contained SVG document without scripts or external resources. */
export function svgOf(picture: DrawnDiagram): string {
  const placed = layOut(picture);
  const { title, version, id } = picture.workflow;
  const parts = [
    frameOf(placed),
    `<title>${xmlText(plainLine(title))}</title>`,
    `<desc>${xmlText(`${id} ${version}`)}</desc>`,
    `<style>${style}</style>`,
    `<rect class="page" width="${placed.width}" height="${placed.height}"/>`,
    ...placed.nodes.filter(({ isGroup }) => isGroup).map(drawNode),
    ...placed.strands.map(drawLine),
    ...placed.strands.map(drawLabel),
    ...placed.nodes.filter(({ isGroup }) => !isGroup).map(drawNode),
    '</svg>',
    '',
  ];
  return withoutCommands(parts.join('\n'));
}

function frameOf({ width, height }: Layout): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" ${size}>`;
}

function drawNode(placed: PlacedNode): string {
  const { node, text, isGroup, x, y, width, height } = placed;
  const classes = [isGroup ? 'group' : 'node', node.kind, ...(node.state === undefined ? [] : [node.state])];
  const words = isGroup
    ? textLines(text, { x: x - width / 2 + 10, y: y - height / 2 + linePx })
    : textLines(text, { x, y: middle(text, y) });
  const about = detailsOf(node).join('\n');
  return `<g class="${classes.join(' ')}" data-id="${xmlText(node.id)}"><title>${xmlText(about)}</title>${shapeOf(placed)}${words}</g>`;
}

function drawLine({ strand, points }: PlacedLine): string {
  const { id, isLeap, taken = 0 } = strand;
  const how = isLeap ? ' leap' : taken > 0 ? ' taken' : '';
  return `<g class="edge${how}" data-id="${xmlText(id)}">${edgePath(points)}</g>`;
}

/** Draws a label above all lines, on a background of its own. */
function drawLabel({ text, at: { x, y } }: PlacedLine): string {
  if (text.lines.length === 0) return '';
  const { width, height } = text;
  const ground = `<rect x="${px(x - width / 2)}" y="${px(y - height / 2)}" width="${width}" height="${height}"/>`;
  return `<g class="edge">${ground}${textLines(text, { x, y: middle(text, y) })}</g>`;
}

/** Returns the baseline of the first line of a vertically centred text. */
function middle({ height }: TextBlock, y: number): number {
  return y - height / 2 + linePx * 0.76;
}

function textLines(text: TextBlock, { x, y }: { readonly x: number; readonly y: number }): string {
  return text.lines
    .map((line, at) => `<text x="${px(x)}" y="${px(y + at * linePx)}">${xmlText(line)}</text>`)
    .join('');
}

export function shapeOf(placed: PlacedNode): string {
  return placed.isGroup ? rectangle(placed, 8) : shapes[placed.node.kind](placed);
}

const shapes: Readonly<Record<DiagramKind, (box: Box) => string>> = {
  activity: (box) => rectangle(box, 10),
  choice: (box) => hexagon(box, 18),
  decision: (box) => hexagon(box, 18),
  end: (box) => rectangle(box, box.height / 2),
  exit: (box) => rectangle(box, box.height / 2),
  checkpoint: (box) => hexagon(box, 12),
  loop: (box) => rectangle(box, 3),
  missing: (box) => rectangle(box, 3),
  round: (box) => trapezoid(box, 12),
  start: (box) => rectangle(box, box.height / 2),
  step: (box) => rectangle(box, 3),
};

function rectangle({ x, y, width, height }: Box, radius: number): string {
  return `<rect x="${px(x - width / 2)}" y="${px(y - height / 2)}" width="${px(width)}" height="${px(height)}" rx="${px(radius)}"/>`;
}

function hexagon({ x, y, width, height }: Box, slant: number): string {
  const [inner, outer, half] = [width / 2 - slant, width / 2, height / 2];
  return polygon([
    [x - inner, y - half],
    [x + inner, y - half],
    [x + outer, y],
    [x + inner, y + half],
    [x - inner, y + half],
    [x - outer, y],
  ]);
}

function trapezoid({ x, y, width, height }: Box, slant: number): string {
  const [inner, outer, half] = [width / 2 - slant, width / 2, height / 2];
  return polygon([
    [x - inner, y - half],
    [x + inner, y - half],
    [x + outer, y + half],
    [x - outer, y + half],
  ]);
}

function polygon(points: readonly (readonly [number, number])[]): string {
  return `<polygon points="${points.map(([x, y]) => `${px(x)},${px(y)}`).join(' ')}"/>`;
}

/** Rounds a length to a tenth of a pixel. */
export function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Returns a curve through the points of a line, with an arrowhead at its end. */
export function edgePath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return '';
  const curves = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? last;
    const target = at === rest.length - 2 ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${place(point)} ${place(target)}`;
  });
  const line = curves.length === 0 ? [`L${place(last)}`] : curves;
  return `<path d="M${place(first)} ${line.join(' ')}"/>${tip(rest.at(-2) ?? first, last)}`;
}

const tipPx = 8;

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

/** Matches characters that XML forbids, including half of a surrogate pair. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for an element or a quoted attribute, and makes control characters visible. */
export function xmlText(text: string): string {
  const escaped = text
    .replaceAll(forbidden, '\uFFFD')
    .replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
  return withoutUnsafe(escaped, (char) => (/[\t\n]/.test(char) ? char : plainLine(char)));
}

/** Colours by purpose, on a light and on a dark page. */
const colours = {
  page: ['#ffffff', '#0d1117'],
  ink: ['#1f2328', '#e6edf3'],
  soft: ['#59636e', '#9198a1'],
  line: ['#818b98', '#6e7681'],
  box: ['#f6f8fa', '#21262d'],
  frame: ['#eff2f5', '#161b22'],
  asked: ['#ddf4ff', '#0c2d4a'],
  askedLine: ['#0969da', '#4493f8'],
  done: ['#d7f3dd', '#12361e'],
  doneLine: ['#1a7f37', '#3fb950'],
  now: ['#fff3c4', '#3d2e00'],
  nowLine: ['#9a6700', '#d29922'],
  no: ['#ffdcd7', '#4a1518'],
  noLine: ['#cf222e', '#f85149'],
} as const;

type Palette = Readonly<Record<keyof typeof colours, string>>;

/** Returns the rules for one kind of page. They use no CSS variables because not every SVG viewer supports them. */
function rulesFor(page: 0 | 1): string {
  const of = Object.fromEntries(Object.entries(colours).map(([name, pair]) => [name, pair[page]])) as Palette;
  return `
.page, .edge rect { fill: ${of.page}; }
text { fill: ${of.ink}; }
.node rect, .node polygon { fill: ${of.box}; stroke: ${of.line}; }
.group > rect { fill: ${of.frame}; stroke: ${of.line}; }
.choice polygon, .decision polygon, .round polygon { fill: ${of.page}; }
.checkpoint polygon { fill: ${of.asked}; stroke: ${of.askedLine}; }
.exit rect { fill: ${of.line}; }
.node.done > rect, .node.done > polygon { fill: ${of.done}; stroke: ${of.doneLine}; }
.node.current > rect, .node.current > polygon { fill: ${of.now}; stroke: ${of.nowLine}; }
.node.refused > rect, .node.refused > polygon { fill: ${of.no}; stroke: ${of.noLine}; }
.node.skipped > rect, .node.skipped > polygon { fill: ${of.page}; stroke: ${of.line}; }
.group.done > rect { stroke: ${of.doneLine}; }
.group.current > rect { stroke: ${of.nowLine}; }
.group.refused > rect { stroke: ${of.noLine}; }
.skipped > text, .edge text { fill: ${of.soft}; }
.edge path { stroke: ${of.line}; }
.edge .tip { fill: ${of.line}; }
.taken path { stroke: ${of.doneLine}; }
.taken .tip { fill: ${of.doneLine}; }
.leap path { stroke: ${of.noLine}; }
.leap .tip { fill: ${of.noLine}; }
`;
}

/** The style sheet of a drawing, for light and dark pages. */
export const style = `
text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; text-anchor: middle; }
.group > text { text-anchor: start; font-weight: 600; }
.group > rect { stroke-dasharray: 2 3; }
.current > rect, .current > polygon, .refused > rect, .refused > polygon { stroke-width: 3; }
.skipped > rect, .skipped > polygon { stroke-dasharray: 4 3; }
.edge path { fill: none; }
.edge text { font-size: 12px; }
.edge rect { opacity: 0.85; }
.taken path { stroke-width: 2.5; }
.leap path { stroke-dasharray: 6 4; }
${rulesFor(0)}@media (prefers-color-scheme: dark) {${rulesFor(1)}}
`;
