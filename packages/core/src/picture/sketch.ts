import { entranceOf } from './entrance-of.ts';
import type { Picture, PictureEdge, PictureKind, PictureNode } from './picture.ts';

/** A way on whose other end is not drawn yet. */
export type LooseEnd = Omit<PictureEdge, 'id' | 'to'>;

/** A picture while it is drawn. */
export interface Sketch {
  /** Adds a node and leads these loose ends to it. */
  add(node: PictureNode, from?: readonly LooseEnd[]): void;
  has(id: string): boolean;
  /** Leads loose ends to a node; to a group means to the first node in it. */
  connect(ends: readonly LooseEnd[], to: string): void;
  finish(): Pick<Picture, 'nodes' | 'edges'>;
}

/** An empty sketch. */
export function createSketch(): Sketch {
  const nodes = new Map<string, PictureNode>();
  const edges: Omit<PictureEdge, 'id'>[] = [];
  const sketch: Sketch = {
    add(node, from = []) {
      nodes.set(node.id, node);
      sketch.connect(from, node.id);
    },
    has: (id) => nodes.has(id),
    connect(ends, to) {
      for (const end of ends) edges.push({ ...end, to });
    },
    finish() {
      const all = [...nodes.values()];
      return {
        nodes: all,
        edges: numbered(edges.map((edge) => ({ ...edge, to: entranceOf(all, edge.to) }))),
      };
    },
  };
  return sketch;
}

/** The id of a node: what is of one kind has a path of its own. */
export function nodeId(kind: PictureKind, ...path: readonly string[]): string {
  return `${kind}:${path.map(escapePart).join('/')}`;
}

/** Ids of a definition may hold what separates them here. */
function escapePart(part: string): string {
  return part.replaceAll(/[%/:>#]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** Edges between the same nodes are told apart by number. */
function numbered(edges: readonly Omit<PictureEdge, 'id'>[]): readonly PictureEdge[] {
  const counts = new Map<string, number>();
  return edges.map((edge) => {
    const ends = `${edge.from}>${edge.to}`;
    const count = (counts.get(ends) ?? 0) + 1;
    counts.set(ends, count);
    return { id: count === 1 ? ends : `${ends}#${count}`, ...edge };
  });
}
