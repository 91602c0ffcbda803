import { plainLine } from '../plain-text.ts';
import type { DrawnEdge, DrawnNode, DrawnPicture } from './drawn-picture.ts';

/** What stands in a node: its label, who answers, and what a session did of it. */
export function captionOf({
  label,
  kind,
  approver,
  isOptional,
  visits = 0,
  answers = [],
}: DrawnNode): string {
  const isAsked = kind === 'gate' && approver === 'human';
  const notes = [
    ...(isAsked ? ['answered by a person'] : []),
    ...(isOptional === true ? ['optional'] : []),
    ...(answers.length > 0 ? [answers.join(', ')] : []),
  ];
  const repeated = visits > 1 && kind !== 'exit' ? ` ×${visits}` : '';
  return plainLine(`${label}${repeated}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`);
}

/** What stands in the frame of a group; how often a loop goes round stands in it already. */
export function frameCaptionOf(node: DrawnNode): string {
  const borrowed = node.lender === undefined ? '' : `, of ${node.lender}`;
  return `${captionOf(node)}${plainLine(borrowed)}`;
}

/** What stands at an edge: a decision says what it is in its node. */
export function edgeCaptionOf({ label, by, from }: DrawnEdge, { nodes }: DrawnPicture): string | undefined {
  if (label === undefined) return undefined;
  const isSaid = by === undefined || nodes.some(({ id, kind }) => id === from && kind === 'decision');
  return plainLine(isSaid ? label : `${by}: ${label}`);
}

/** What is told of a node beside its caption. */
export function detailsOf({ ref, when, rounds, starts, lender, state, why }: DrawnNode): readonly string[] {
  return [
    ...(ref === undefined ? [] : [ref]),
    ...(when === undefined ? [] : [`when ${when}`]),
    ...(rounds === undefined ? [] : [rounds]),
    ...(starts === undefined ? [] : [`starts ${starts.join(', ')}`]),
    ...(lender === undefined ? [] : [`of ${lender}`]),
    ...(state === undefined ? [] : [why === undefined ? state : `${state}: ${why}`]),
  ].map(plainLine);
}
