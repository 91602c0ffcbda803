import type { Approver, Workflow } from '@workflowlookup/schema';

/**
 * A workflow as a drawing has it: nodes, and edges between them. Plain data with ids that stay the same as long as the
 * definition does. A node that others name as their `parent` is a group; edges lead from and to nodes that are none.
 */
export interface Picture<Node extends PictureNode = PictureNode, Edge extends PictureEdge = PictureEdge> {
  readonly workflow: {
    readonly id: string;
    readonly title: string;
    readonly version: string;
    readonly digest: string;
    readonly kind: Workflow['kind'];
  };
  /** In the order of the definition; a group comes before what it holds, and is entered at the first of that. */
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/**
 * What a node stands for: `round` is where a loop begins its rounds and ends; `choice` a condition that lets a step in or
 * past it; `exit` where an activity is left; `missing` an activity that is named and can't be used.
 */
export type PictureKind =
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
export interface PictureNode {
  /** The kind and the path of ids that leads there: `step:loop-id/step-id`. */
  readonly id: string;
  readonly kind: PictureKind;
  /** As people read it; empty for an exit. */
  readonly label: string;
  /** Id of the group it stands in. */
  readonly parent?: string;
  /** The id its author gave it, of a gate that of its checkpoint. */
  readonly ref?: string;
  /** The condition under which it counts. */
  readonly when?: string;
  /** Of a loop: how often it goes round. */
  readonly rounds?: string;
  /** Of a gate: who may answer. */
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
 * How an edge is gone: in order, by a condition, into a round, by an answer, or as a way from one activity to another. A
 * `leap` is in painted pictures alone: a move of an advisory session that no other edge stands for.
 */
export type PictureEdgeKind = 'answer' | 'branch' | 'leap' | 'next' | 'round' | 'way';

/** An edge of a picture. */
export interface PictureEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: PictureEdgeKind;
  /** A condition, an answer or a word, as people read it. */
  readonly label?: string;
  /** The decision, checkpoint or loop that leads along it. */
  readonly by?: string;
  /** Ids of the answers that lead along it. */
  readonly options?: readonly string[];
  /** Activities that these answers pass over. */
  readonly skips?: readonly string[];
}
