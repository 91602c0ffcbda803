import type { Approver, Workflow } from '@workflowlookup/schema';

/**
 * A workflow as nodes and edges. Plain data with ids that stay the same as long as the definition does. A node that
 * others name as their `parent` is a group; edges only connect nodes that are not groups.
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
 * Kinds of nodes: `round` is the beginning and end of a loop's rounds; `choice` a condition that leads into a step or
 * past it; `exit` the end of an activity; `missing` an activity that is named but unusable.
 */
export type DiagramKind =
  | 'activity'
  | 'choice'
  | 'decision'
  | 'end'
  | 'exit'
  | 'gate'
  | 'loop'
  | 'missing'
  | 'round'
  | 'start'
  | 'step';

/** A node of a picture. */
export interface DiagramNode {
  /** The kind and the path of ids that leads there: `step:loop-id/step-id`. */
  readonly id: string;
  readonly kind: DiagramKind;
  /** As people read it; empty for an exit. */
  readonly label: string;
  /** Id of its group. */
  readonly parent?: string;
  /** The id its author gave it, of a gate that of its checkpoint. */
  readonly ref?: string;
  /** The condition under which it counts. */
  readonly when?: string;
  /** Of a loop: how often it goes round. */
  readonly rounds?: string;
  /** Of a checkpoint: who may answer. */
  readonly approver?: Approver;
  /** It may be left out. */
  readonly isOptional?: true;
  /** Of a step: its output is judged. */
  readonly isJudged?: true;
  /** Of a step: ids of the workflows it starts as children. */
  readonly starts?: readonly string[];
  /** Of an activity: the workflow it is borrowed from. */
  readonly lender?: string;
}

/**
 * Kinds of edges: in order, by a condition, into a round, by an answer, or as a transition between activities. A `leap`
 * appears only in painted diagrams: a move of an advisory session that has no other edge.
 */
export type DiagramEdgeKind = 'answer' | 'branch' | 'leap' | 'next' | 'round' | 'way';

/** An edge of a picture. */
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
  /** Activities that these answers pass over. */
  readonly skips?: readonly string[];
}

/**
 * The state of a node in a session: `current` is where the session is or waits, `refused` where its last move was
 * refused, `skipped` passed over for good, `planned` still ahead.
 */
export type NodeState = 'current' | 'done' | 'planned' | 'refused' | 'skipped';

/** A node with its state in a session. */
export interface SessionDiagramNode extends DiagramNode {
  readonly state: NodeState;
  /** How often it was entered, done or asked; of a loop, how many rounds began. */
  readonly visits: number;
  /** Why it was skipped or refused, as far as that is known. */
  readonly why?: string;
  /** Of a gate: the ids of the options that were chosen, in order. */
  readonly answers?: readonly string[];
}

/** An edge with how often a session took it. */
export interface SessionDiagramEdge extends DiagramEdge {
  readonly taken: number;
}

/** A diagram of the plan, painted with what was done. */
export type SessionDiagram = Diagram<SessionDiagramNode, SessionDiagramEdge>;
