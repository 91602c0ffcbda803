import type { PictureKind } from '@workflowlookup/core';
import { captionOf, frameCaptionOf } from './caption.ts';
import type { DrawnNode, DrawnPicture } from './drawn-picture.ts';
import { mermaidText } from './mermaid-text.ts';
import type { Strand } from './strands.ts';
import { strandsOf } from './strands.ts';

/** A picture as a Mermaid flowchart. Its nodes are numbered: no id of an author is part of the syntax. */
export function mermaidOf(picture: DrawnPicture): string {
  const names = new Map(picture.nodes.map(({ id }, at) => [id, `n${at}`]));
  const name = (id: string): string => names.get(id) ?? '';
  const strands = strandsOf(picture);
  return [
    'flowchart TD',
    ...linesIn(picture, undefined, name).map((line) => `  ${line}`),
    ...strands.map((strand) => `  ${strandLine(strand, name)}`),
    ...paintLines(picture.nodes, strands, name).map((line) => `  ${line}`),
    '',
  ].join('\n');
}

type Naming = (id: string) => string;

/** The nodes of a group, or those of none; each group holds its own. */
function linesIn(picture: DrawnPicture, group: string | undefined, name: Naming): readonly string[] {
  return picture.nodes
    .filter(({ parent }) => parent === group)
    .flatMap((node) => {
      const inside = linesIn(picture, node.id, name);
      if (inside.length === 0) return [nodeLine(node, name)];
      const frame = `subgraph ${name(node.id)}["${mermaidText(frameCaptionOf(node))}"]`;
      return [frame, ...inside.map((line) => `  ${line}`), 'end'];
    });
}

/** What stands before and after the text of a node. */
const shapes: Readonly<Record<PictureKind, readonly [string, string]>> = {
  activity: ['(', ')'],
  choice: ['{', '}'],
  decision: ['{', '}'],
  end: ['([', '])'],
  exit: ['((', '))'],
  gate: ['{{', '}}'],
  loop: ['[[', ']]'],
  missing: ['>', ']'],
  round: ['[/', '\\]'],
  start: ['([', '])'],
  step: ['[', ']'],
};

function nodeLine(node: DrawnNode, name: Naming): string {
  const [open, close] = shapes[node.kind];
  return `${name(node.id)}${open}"${mermaidText(captionOf(node))}"${close}`;
}

function strandLine({ from, to, captions, isLeap }: Strand, name: Naming): string {
  const label = captions.length === 0 ? '' : `|"${captions.map(mermaidText).join('<br/>')}"|`;
  return `${name(from)} ${isLeap ? '-.->' : '-->'}${label} ${name(to)}`;
}

/** Colours with enough contrast of their own: they stay the same on a light and a dark page. */
const styles = {
  current: 'fill:#fff3c4,stroke:#9a6700,stroke-width:3px,color:#3b2300',
  done: 'fill:#d7f3dd,stroke:#1a7f37,color:#0b3d1c',
  refused: 'fill:#ffdcd7,stroke:#cf222e,stroke-width:3px,color:#5c0d14',
  skipped: 'fill:#eceff2,stroke:#8c959f,stroke-dasharray:4 3,color:#57606a',
} as const;

function paintLines(
  nodes: readonly DrawnNode[],
  strands: readonly Strand[],
  name: Naming,
): readonly string[] {
  const taken = strands.flatMap((strand, at) => ((strand.taken ?? 0) > 0 ? [at] : []));
  const classes = Object.entries(styles).flatMap(([state, style]) => {
    const painted = nodes.filter((node) => node.state === state).map(({ id }) => name(id));
    return painted.length === 0 ? [] : [`classDef ${state} ${style}`, `class ${painted.join(',')} ${state}`];
  });
  return [
    ...classes,
    ...(taken.length === 0 ? [] : [`linkStyle ${taken.join(',')} stroke:#1a7f37,stroke-width:3px`]),
  ];
}
