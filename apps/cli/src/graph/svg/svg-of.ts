import { plainLine, withoutCommands } from '../../plain-text.ts';
import { detailsOf } from '../caption.ts';
import type { DrawnPicture } from '../drawn-picture.ts';
import { edgePath } from './edge-path.ts';
import type { Layout, PlacedNode, PlacedStrand } from './lay-out.ts';
import { layOut } from './lay-out.ts';
import { px, shapeOf } from './shape.ts';
import { style } from './style.ts';
import type { TextBlock } from './text-block.ts';
import { linePx } from './text-block.ts';
import { xmlText } from './xml-text.ts';

/** A picture as an SVG document, laid out and by itself: it loads nothing and runs nothing. */
export function svgOf(picture: DrawnPicture): string {
  const placed = layOut(picture);
  const { title, version, id } = picture.workflow;
  const parts = [
    frameOf(placed),
    `<title>${xmlText(plainLine(title))}</title>`,
    `<desc>${xmlText(`${id} ${version}`)}</desc>`,
    `<style>${style}</style>`,
    `<rect class="page" width="${placed.width}" height="${placed.height}"/>`,
    ...placed.nodes.filter(({ isGroup }) => isGroup).map(drawNode),
    ...placed.strands.map(drawStrand),
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
    ? lines(text, { x: x - width / 2 + 10, y: y - height / 2 + linePx })
    : lines(text, { x, y: middle(text, y) });
  const about = detailsOf(node).join('\n');
  return `<g class="${classes.join(' ')}" data-id="${xmlText(node.id)}"><title>${xmlText(about)}</title>${shapeOf(placed)}${words}</g>`;
}

function drawStrand({ strand, points }: PlacedStrand): string {
  const { id, isLeap, taken = 0 } = strand;
  const how = isLeap ? ' leap' : taken > 0 ? ' taken' : '';
  return `<g class="edge${how}" data-id="${xmlText(id)}">${edgePath(points)}</g>`;
}

/** Labels lie above every line, on a ground of their own. */
function drawLabel({ text, at: { x, y } }: PlacedStrand): string {
  if (text.lines.length === 0) return '';
  const { width, height } = text;
  const ground = `<rect x="${px(x - width / 2)}" y="${px(y - height / 2)}" width="${width}" height="${height}"/>`;
  return `<g class="edge">${ground}${lines(text, { x, y: middle(text, y) })}</g>`;
}

/** The base of the first of several lines that stand around a middle. */
function middle({ height }: TextBlock, y: number): number {
  return y - height / 2 + linePx * 0.76;
}

function lines(text: TextBlock, { x, y }: { readonly x: number; readonly y: number }): string {
  return text.lines
    .map((line, at) => `<text x="${px(x)}" y="${px(y + at * linePx)}">${xmlText(line)}</text>`)
    .join('');
}
