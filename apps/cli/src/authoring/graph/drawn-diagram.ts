import type {
  SessionDiagramEdge,
  SessionDiagramNode,
  Diagram,
  DiagramEdge,
  DiagramNode,
} from '@workflowlookup/diagrams';
import { present } from '../../commands/command-line.ts';
import { drawingTexts } from '../../messages/definitions.ts';
import { plainLine } from '../../terminal/plain-text.ts';

/** A node, with the state that a session gave it if there is one. */
export type DrawnNode = DiagramNode & Partial<SessionDiagramNode>;

/** An edge, with what a session did along it if there is one. */
type DrawnEdge = DiagramEdge & Partial<SessionDiagramEdge>;

export type DrawnDiagram = Diagram<DrawnNode, DrawnEdge>;

/** Returns the text in a node: its label, who answers, and what a session did there. */
export function captionOf(node: DrawnNode): string {
  const { label, kind, approver, isOptional, visits = 0, answers = [] } = node;
  const notes = present([
    kind === 'checkpoint' && approver === 'human' && drawingTexts.byPerson,
    isOptional === true && drawingTexts.optional,
    answers.length > 0 && answers.join(', '),
  ]);
  const repeated = visits > 1 && kind !== 'exit' ? ` ×${visits}` : '';
  return plainLine(`${label}${repeated}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`);
}

/** Returns the text in the frame of a group. For a loop it already says how often it repeats. */
export function frameCaptionOf(node: DrawnNode): string {
  const borrowed = node.lender === undefined ? '' : `, ${drawingTexts.of(node.lender)}`;
  return `${captionOf(node)}${plainLine(borrowed)}`;
}

/** Returns the text at an edge. The edges of a decision have none if its node already has the text. */
function edgeCaptionOf({ label, by, from }: DrawnEdge, { nodes }: DrawnDiagram): string | undefined {
  if (label === undefined) return undefined;
  const isSaid = by === undefined || nodes.some(({ id, kind }) => id === from && kind === 'decision');
  return plainLine(isSaid ? label : `${by}: ${label}`);
}

/** Returns the details of a node that its caption leaves out. */
export function detailsOf({ ref, when, rounds, starts, lender, state, why }: DrawnNode): readonly string[] {
  return present([
    ref,
    when === undefined ? undefined : drawingTexts.when(when),
    rounds,
    starts && drawingTexts.starts(starts.join(', ')),
    lender === undefined ? undefined : drawingTexts.of(lender),
    state && (why === undefined ? state : `${state}: ${why}`),
  ]).map(plainLine);
}

/** The edges between the same two nodes, drawn as one. */
export interface DrawnLine {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** The texts at the edge, without duplicates. */
  readonly captions: readonly string[];
  /** How often a session took one of the edges. Absent for the picture of a workflow. */
  readonly taken?: number;
  /** Whether a session went this way although the workflow has no such transition. */
  readonly isLeap: boolean;
}

export function linesToDraw(picture: DrawnDiagram): readonly DrawnLine[] {
  const strands = new Map<string, DrawnLine>();
  for (const edge of picture.edges) {
    const { from, to, kind, taken } = edge;
    const isLeap = kind === 'leap';
    const id = `${isLeap ? 'leap:' : ''}${from}>${to}`;
    const { captions = [], taken: before = 0 } = strands.get(id) ?? {};
    const caption = edgeCaptionOf(edge, picture);
    const isNew = caption !== undefined && !captions.includes(caption);
    strands.set(id, {
      id,
      from,
      to,
      captions: isNew ? [...captions, caption] : captions,
      ...(taken === undefined ? {} : { taken: before + taken }),
      isLeap,
    });
  }
  return [...strands.values()];
}
