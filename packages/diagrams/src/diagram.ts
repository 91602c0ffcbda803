import type { Approver, Workflow } from '@workflowlookup/schema';
import { defined } from '@workflowlookup/schema';
import { labels } from './messages.ts';

/**
 * A workflow as nodes and edges. It is plain data, and its ids stay the same as long as the definition does. A node
 * that is the `parent` of others is a group. Edges connect only nodes that are not groups.
 */
export interface Diagram<Node extends DiagramNode = DiagramNode, Edge extends DiagramEdge = DiagramEdge> {
  readonly workflow: {
    readonly id: string;
    readonly title: string;
    readonly version: string;
    readonly digest: string;
    readonly kind: Workflow['kind'];
  };
  /** In the order of the definition. A group comes before its content and is entered at its first node. */
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/**
 * Kinds of nodes: `round` is the beginning and end of a loop's iterations; `choice` a condition that leads into a step
 * or past it; `exit` the end of an activity; `missing` an activity that is named but unusable.
 */
export type DiagramKind =
  | 'activity'
  | 'choice'
  | 'decision'
  | 'end'
  | 'exit'
  | 'checkpoint'
  | 'loop'
  | 'missing'
  | 'round'
  | 'start'
  | 'step';

/** A node of a diagram. */
export interface DiagramNode {
  /** The kind and the path of ids that leads there: `step:loop-id/step-id`. */
  readonly id: string;
  readonly kind: DiagramKind;
  /** As people read it; empty for an exit. */
  readonly label: string;
  /** Id of its group. */
  readonly parent?: string;
  /** The id that its author gave it. For a checkpoint, this is its id within the activity. */
  readonly ref?: string;
  /** The condition under which it applies. */
  readonly when?: string;
  /** For a loop: how often it repeats. */
  readonly rounds?: string;
  /** For a checkpoint: who may answer. */
  readonly approver?: Approver;
  /** Set if it may be left out. */
  readonly isOptional?: true;
  /** For a step: set if its output is validated. */
  readonly isJudged?: true;
  /** For a step: ids of the workflows that it starts as child sessions. */
  readonly starts?: readonly string[];
  /** For an activity: the workflow from which it is borrowed. */
  readonly lender?: string;
}

/**
 * Kinds of edges: in order, by a condition, into an iteration, by an answer, or as a transition between activities. A
 * `leap` appears only in painted diagrams: a move of an advisory session that has no other edge.
 */
export type DiagramEdgeKind = 'answer' | 'branch' | 'leap' | 'next' | 'round' | 'transition';

/** An edge of a diagram. */
export interface DiagramEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: DiagramEdgeKind;
  /** A condition, an answer or a word, as people read it. */
  readonly label?: string;
  /** The decision, checkpoint or loop that leads along it. */
  readonly by?: string;
  /** Ids of the answers that lead along it. */
  readonly options?: readonly string[];
  /** Activities that these answers skip. */
  readonly skips?: readonly string[];
}

/**
 * The state of a node in a session: `current` if the session is or waits there, `refused` if its last move was refused
 * there, `skipped` if the session skips it for good, `planned` if it is still ahead.
 */
export type NodeState = 'current' | 'done' | 'planned' | 'refused' | 'skipped';

/** A node with its state in a session. */
export interface SessionDiagramNode extends DiagramNode {
  readonly state: NodeState;
  /** How often it was entered, done or asked. For a loop: how many iterations began. */
  readonly visits: number;
  /** Why it was skipped or refused, as far as that is known. */
  readonly why?: string;
  /** For a checkpoint: the ids of the options that were chosen, in order. */
  readonly answers?: readonly string[];
}

/** An edge with how often a session took it. */
export interface SessionDiagramEdge extends DiagramEdge {
  readonly taken: number;
}

/** A diagram of a workflow that shows the progress of a session. */
export type SessionDiagram = Diagram<SessionDiagramNode, SessionDiagramEdge>;

/**
 * Returns a diagram without the content of some groups, by default of activities. Edges into or out of a group end at
 * the group, and edges inside it are removed. A painted diagram stays painted.
 */
export function foldDiagram<Node extends DiagramNode, Edge extends DiagramEdge>(
  picture: Diagram<Node, Edge>,
  isFolded: (node: Node) => boolean = ({ kind }) => kind === 'activity',
): Diagram<Node, Edge> {
  const shownBy = new Map<string, string>();
  const nodes = picture.nodes.filter((node) => {
    const above = node.parent === undefined ? undefined : shownBy.get(node.parent);
    if (above !== undefined || isFolded(node)) shownBy.set(node.id, above ?? node.id);
    return above === undefined;
  });
  const shownAs = (id: string): string => shownBy.get(id) ?? id;
  const edges = picture.edges.flatMap((edge) => {
    const from = shownAs(edge.from);
    const to = shownAs(edge.to);
    return from === to && isWithin(edge) ? [] : [{ ...edge, from, to }];
  });
  return { ...picture, nodes, edges };
}

/** An activity may lead to itself. Every other edge that begins and ends in one group is inside it. */
function isWithin({ kind, by }: DiagramEdge): boolean {
  return kind !== 'transition' && (kind !== 'answer' || by === undefined);
}

/** An edge whose target is not drawn yet. */
export type LooseEnd = Omit<DiagramEdge, 'id' | 'to'>;

/** A diagram under construction. */
export interface DiagramBuilder {
  add(node: Omit<DiagramNode, 'parent'>, at?: Partial<Omit<DrawPosition, 'path'>>): void;
  has(id: string): boolean;
  /** Connects loose ends to a node. For a group, that is the first node in it. */
  connect(ends: readonly LooseEnd[], to: string): void;
  finish(): Pick<Diagram, 'nodes' | 'edges'>;
}

/** Makes an empty diagram. */
export function createDiagramBuilder(): DiagramBuilder {
  const nodes = new Map<string, DiagramNode>();
  const edges: Omit<DiagramEdge, 'id'>[] = [];
  const sketch: DiagramBuilder = {
    add(node, { parent, ends = [] } = {}) {
      nodes.set(node.id, { ...node, ...defined({ parent }) });
      sketch.connect(ends, node.id);
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

/** Returns the node at which a group is entered: its first node. A node that is not a group is its own entrance. */
export function entranceOf(nodes: readonly DiagramNode[], id: string): string {
  const first = nodes.find(({ parent }) => parent === id);
  return first === undefined ? id : entranceOf(nodes, first.id);
}

/** Where to draw something: its path of ids, its group, and the loose ends that lead to it. */
export interface DrawPosition {
  readonly path: readonly string[];
  readonly parent?: string | undefined;
  readonly ends: readonly LooseEnd[];
}

/** Draws something after its condition, if it has one, and returns the loose ends after it and around it. */
export function drawChoice(
  sketch: DiagramBuilder,
  when: string | undefined,
  position: DrawPosition,
  draw: (position: DrawPosition) => readonly LooseEnd[],
): readonly LooseEnd[] {
  if (when === undefined) return draw(position);
  const id = nodeId('choice', ...position.path);
  sketch.add({ id, kind: 'choice', label: when }, position);
  const inside = draw({ ...position, ends: [{ from: id, kind: 'branch', label: labels.yes }] });
  return [...inside, { from: id, kind: 'branch', label: labels.no }];
}

interface DrawnLoop {
  readonly ref: string;
  readonly title: string;
  /** How often it repeats. */
  readonly rounds: string;
}

/** Draws a loop as a group around its body, with a node from which each iteration begins and the loop is left. */
export function drawLoop(
  sketch: DiagramBuilder,
  { ref, title, rounds }: DrawnLoop,
  position: DrawPosition,
  draw: (position: DrawPosition) => readonly LooseEnd[],
): readonly LooseEnd[] {
  const group = nodeId('loop', ...position.path);
  const round = nodeId('round', ...position.path);
  sketch.add({ id: group, kind: 'loop', label: title, ref, rounds }, { parent: position.parent });
  sketch.add({ id: round, kind: 'round', label: rounds, ref }, { parent: group, ends: position.ends });
  const body = draw({
    path: position.path,
    parent: group,
    ends: [{ from: round, kind: 'round', label: labels.eachIteration }],
  });
  sketch.connect(body, round);
  return [{ from: round, kind: 'next', label: labels.done }];
}
