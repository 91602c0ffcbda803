import { edgeCaptionOf } from './caption.ts';
import type { DrawnPicture } from './drawn-picture.ts';

/** Edges between the same two nodes, drawn as one. */
export interface Strand {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** What stands at it, each once. */
  readonly captions: readonly string[];
  /** How often a session took one of them; absent where the picture is not painted. */
  readonly taken?: number;
  /** A session went there though nothing leads there. */
  readonly isLeap: boolean;
}

/** The edges of a picture as they are drawn. */
export function strandsOf(picture: DrawnPicture): readonly Strand[] {
  const strands = new Map<string, Strand>();
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
