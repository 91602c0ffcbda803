import type { Picture, PictureEdge, PictureNode } from './picture.ts';

/**
 * What became of a node: `current` where the session stands or waits, `refused` where it stands and the last that was
 * tried there was refused, `skipped` passed over for good, `planned` still ahead.
 */
export type NodeState = 'current' | 'done' | 'planned' | 'refused' | 'skipped';

/** A node with what a session did of it. */
export interface PaintedNode extends PictureNode {
  readonly state: NodeState;
  /** How often it was entered, done or asked; of a loop, how many rounds began. */
  readonly visits: number;
  /** Why it was skipped or refused, as far as that is known. */
  readonly why?: string;
  /** Of a gate: the ids of the options that were chosen, in order. */
  readonly answers?: readonly string[];
}

/** An edge with how often a session took it. */
export interface PaintedEdge extends PictureEdge {
  readonly taken: number;
}

/** A picture of what was planned, painted with what was done. */
export type PaintedPicture = Picture<PaintedNode, PaintedEdge>;
