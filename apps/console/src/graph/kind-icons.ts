import type { LucideIcon } from 'lucide-react';
import { Flag, Hand, Repeat, Split, TriangleAlert } from 'lucide-react';
import type { PaintedNode, PictureNode } from '../contract.ts';

/** The shape that tells a kind of node; steps and activities have none. */
export const kindIcons: Partial<Readonly<Record<PictureNode['kind'], LucideIcon>>> = {
  choice: Split,
  decision: Split,
  end: Flag,
  gate: Hand,
  loop: Repeat,
  missing: TriangleAlert,
  round: Repeat,
};

/** Whether a node has a line below its label. */
export function hasFoot(node: PictureNode | PaintedNode): boolean {
  return 'state' in node || kindIcons[node.kind] !== undefined;
}
