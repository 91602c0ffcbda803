import { basename, dirname, extname, resolve } from 'node:path';
import type { DiagramKind } from '@workflowlookup/diagrams';
import { foldDiagram, drawWorkflow, drawSession } from '@workflowlookup/diagrams';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../../commands/command-line.ts';
import type { SourceFlags, StateFlags } from '../../commands/options.ts';
import { nameOf, replaceFile, writeNewFiles } from '../../files.ts';
import { fileMessages, optionMessages } from '../../messages/common.ts';
import { definitionMessages } from '../../messages/definitions.ts';
import { withDefinitions, withState } from '../../open-host.ts';
import { sessionOf } from '../../sessions/context.ts';
import { plainLine } from '../../terminal/plain-text.ts';
import type { DrawnDiagram, DrawnNode, DrawnLine } from './drawn-diagram.ts';
import { captionOf, frameCaptionOf, linesToDraw } from './drawn-diagram.ts';

export interface GraphFlags extends SourceFlags, StateFlags {
  readonly format?: 'mermaid' | 'svg';
  readonly steps?: boolean;
  readonly session?: string;
  readonly out?: string;
  readonly force?: boolean;
}

/** Draws a workflow, or the workflow of a session together with what the session did. */
export async function graph(
  context: CommandContext,
  workflow: string | undefined,
  flags: GraphFlags,
): Promise<ExitCode> {
  const format = formatOf(flags);
  const found = await findDiagram(context, workflow, flags);
  const picture = flags.steps === true ? found : foldDiagram(found);
  const { out, force = false } = flags;
  if (out === undefined) return context.answerExact(picture, () => draw(picture, format));
  const text = await draw(picture, format);
  if (force) await replaceFile(resolve(out), text);
  else await writeNewFiles(dirname(resolve(out)), new Map([[basename(out), text]]));
  return context.answer(picture, () => fileMessages.wrote(plainLine(nameOf(resolve(out)))));
}

async function findDiagram(
  context: CommandContext,
  named: string | undefined,
  { session, ...flags }: GraphFlags,
): Promise<DrawnDiagram> {
  const { nameToDraw, otherWorkflow } = definitionMessages;
  if (session === undefined) {
    if (named === undefined) throw new WorkflowError('INVALID_INPUT', nameToDraw);
    return withDefinitions(context, flags, async ({ engine }) => drawWorkflow(await engine.get(named)), {
      shows: named,
    });
  }
  return withState(context, flags, async ({ operator, state }) => {
    const sid = await sessionOf({ operator, state }, session);
    const [history, { workflow }] = await Promise.all([operator.history(sid), operator.contents(sid)]);
    const picture = drawSession(drawWorkflow(workflow), history);
    const { id } = picture.workflow;
    if (named === undefined || named === id) return picture;
    throw new WorkflowError('INVALID_INPUT', otherWorkflow(session, id, named));
  });
}

type Format = NonNullable<GraphFlags['format']>;

const formats: Readonly<Record<string, Format>> = { '.svg': 'svg', '.mmd': 'mermaid', '.mermaid': 'mermaid' };

/**
 * Returns the format of the drawing, from `--format` or the extension of the file.
 *
 * @throws WorkflowError INVALID_INPUT
 */
function formatOf({ format, out }: GraphFlags): Format {
  if (format !== undefined || out === undefined) return format ?? 'mermaid';
  const found = formats[extname(out).toLowerCase()];
  if (found !== undefined) return found;
  throw new WorkflowError('INVALID_INPUT', optionMessages.drawingFormat(out));
}

/** The code that lays out an SVG is loaded only for one. */
async function draw(picture: DrawnDiagram, format: Format): Promise<string> {
  return format === 'svg' ? (await import('./svg.ts')).svgOf(picture) : mermaidOf(picture);
}

/**
 * Returns a picture as a Mermaid flowchart. Nodes get numbers, so that no id of an author becomes part of the syntax.
 */
export function mermaidOf(picture: DrawnDiagram): string {
  const names = new Map(picture.nodes.map(({ id }, at) => [id, `n${at}`]));
  const name = (id: string): string => names.get(id) ?? '';
  const strands = linesToDraw(picture);
  return [
    'flowchart TD',
    ...linesIn(picture, undefined, name).map((line) => `  ${line}`),
    ...strands.map((strand) => `  ${edgeLine(strand, name)}`),
    ...paintLines(picture.nodes, strands, name).map((line) => `  ${line}`),
    '',
  ].join('\n');
}

type Naming = (id: string) => string;

/** Returns the lines for the nodes of a group, or for those outside all groups. */
function linesIn(picture: DrawnDiagram, group: string | undefined, name: Naming): readonly string[] {
  return picture.nodes
    .filter(({ parent }) => parent === group)
    .flatMap((node) => {
      const inside = linesIn(picture, node.id, name);
      if (inside.length === 0) return [nodeLine(node, name)];
      const frame = `subgraph ${name(node.id)}["${mermaidText(frameCaptionOf(node))}"]`;
      return [frame, ...inside.map((line) => `  ${line}`), 'end'];
    });
}

/** The delimiters before and after the text of a node. */
const shapes: Readonly<Record<DiagramKind, readonly [string, string]>> = {
  activity: ['(', ')'],
  choice: ['{', '}'],
  decision: ['{', '}'],
  end: ['([', '])'],
  exit: ['((', '))'],
  checkpoint: ['{{', '}}'],
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

function edgeLine({ from, to, captions, isLeap }: DrawnLine, name: Naming): string {
  const label = captions.length === 0 ? '' : `|"${captions.map(mermaidText).join('<br/>')}"|`;
  return `${name(from)} ${isLeap ? '-.->' : '-->'}${label} ${name(to)}`;
}

/** Colours with enough contrast on a light and a dark page. */
const styles = {
  current: 'fill:#fff3c4,stroke:#9a6700,stroke-width:3px,color:#3b2300',
  done: 'fill:#d7f3dd,stroke:#1a7f37,color:#0b3d1c',
  refused: 'fill:#ffdcd7,stroke:#cf222e,stroke-width:3px,color:#5c0d14',
  skipped: 'fill:#eceff2,stroke:#8c959f,stroke-dasharray:4 3,color:#57606a',
} as const;

function paintLines(
  nodes: readonly DrawnNode[],
  strands: readonly DrawnLine[],
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

/** Matches what can't be mistaken for syntax inside quotes: letters, digits, spaces and a few signs. */
const harmless = /[\p{L}\p{M}\p{N} .,()'?!/=:+\u00D7\u2013\u2014-]/u;

/** Matches what Mermaid takes for the beginning of a list, which it refuses to draw. */
const listMark = /^(\d+[.)]|[-+*>]|#{1,6}) /;

/**
 * Returns a text for the quotes of a label, which must not be empty. All but harmless characters become character
 * references.
 */
function mermaidText(text: string): string {
  const drawn = text.trim().replace(listMark, '$1\u00A0');
  if (drawn === '') return ' ';
  return [...drawn].map((char) => (harmless.test(char) ? char : `#${char.codePointAt(0) ?? 0};`)).join('');
}
