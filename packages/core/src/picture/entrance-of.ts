import type { PictureNode } from './picture.ts';

/** The node at which a group is entered: the first in it. What is no group is entered at itself. */
export function entranceOf(nodes: readonly PictureNode[], id: string): string {
  const first = nodes.find(({ parent }) => parent === id);
  return first === undefined ? id : entranceOf(nodes, first.id);
}
