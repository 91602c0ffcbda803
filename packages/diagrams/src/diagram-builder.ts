import type { Diagram, DiagramEdge, DiagramKind, DiagramNode } from './diagram.ts';

/** An edge whose target is not drawn yet. */
export type LooseEnd = Omit<DiagramEdge, 'id' | 'to'>;

/** A picture while it is drawn. */
export interface DiagramBuilder {
  add(node: DiagramNode, from?: readonly LooseEnd[]): void;
  has(id: string): boolean;
  /** Leads loose ends to a node; to a group means to the first node in it. */
  connect(ends: readonly LooseEnd[], to: string): void;
  finish(): Pick<Diagram, 'nodes' | 'edges'>;
}

/** An empty sketch. */
export function createDiagramBuilder(): DiagramBuilder {
  const nodes = new Map<string, DiagramNode>();
  const edges: Omit<DiagramEdge, 'id'>[] = [];
  const sketch: DiagramBuilder = {
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

/** Returns the id of a node. Nodes of one kind have unique paths. */
export function nodeId(kind: DiagramKind, ...path: readonly string[]): string {
  return `${kind}:${path.map(escapePart).join('/')}`;
}

/** Ids of a definition may contain the separator of node ids. */
function escapePart(part: string): string {
  return part.replaceAll(/[%/:>#]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/** Numbers edges between the same nodes. */
function numbered(edges: readonly Omit<DiagramEdge, 'id'>[]): readonly DiagramEdge[] {
  const counts = new Map<string, number>();
  return edges.map((edge) => {
    const ends = `${edge.from}>${edge.to}`;
    const count = (counts.get(ends) ?? 0) + 1;
    counts.set(ends, count);
    return { id: count === 1 ? ends : `${ends}#${count}`, ...edge };
  });
}

/** Returns the node at which a group is entered: its first node. A node that is no group is its own entrance. */
export function entranceOf(nodes: readonly DiagramNode[], id: string): string {
  const first = nodes.find(({ parent }) => parent === id);
  return first === undefined ? id : entranceOf(nodes, first.id);
}

/** The position of a drawing: its path of ids, its group, and the open ends before it. */
export interface DrawPosition {
  readonly path: readonly string[];
  readonly parent?: string;
  readonly ends: readonly LooseEnd[];
}

/** Draws something after its condition, if it has one, and returns the open ends after it and past it. */
export function drawChoice(
  sketch: DiagramBuilder,
  { when, spot }: { readonly when?: string | undefined; readonly spot: DrawPosition },
  draw: (spot: DrawPosition) => readonly LooseEnd[],
): readonly LooseEnd[] {
  if (when === undefined) return draw(spot);
  const id = nodeId('choice', ...spot.path);
  const parent = spot.parent === undefined ? {} : { parent: spot.parent };
  sketch.add({ id, kind: 'choice', label: when, ...parent }, spot.ends);
  const inside = draw({ ...spot, ends: [{ from: id, kind: 'branch', label: 'yes' }] });
  return [...inside, { from: id, kind: 'branch', label: 'no' }];
}

interface DrawnLoop {
  readonly ref: string;
  readonly title: string;
  /** How often it goes round. */
  readonly rounds: string;
}

/** Draws a loop as a group around its body, with a node from which each round begins and the loop is left. */
export function drawLoop(
  sketch: DiagramBuilder,
  { loop, spot }: { readonly loop: DrawnLoop; readonly spot: DrawPosition },
  draw: (spot: DrawPosition) => readonly LooseEnd[],
): readonly LooseEnd[] {
  const { ref, title, rounds } = loop;
  const group = nodeId('loop', ...spot.path);
  const round = nodeId('round', ...spot.path);
  const parent = spot.parent === undefined ? {} : { parent: spot.parent };
  sketch.add({ id: group, kind: 'loop', label: title, ...parent, ref, rounds });
  sketch.add({ id: round, kind: 'round', label: rounds, parent: group, ref }, spot.ends);
  const body = draw({
    path: spot.path,
    parent: group,
    ends: [{ from: round, kind: 'round', label: 'each round' }],
  });
  sketch.connect(body, round);
  return [{ from: round, kind: 'next', label: 'done' }];
}
