/** A place in the picture of a workflow. */
export interface GraphNode {
  readonly id: string;
  readonly label: string;
  readonly kind: 'start' | 'end' | 'step' | 'activity' | 'loop' | 'checkpoint';
  /** The loop or activity it stands in. */
  readonly parent?: string;
}

/** A way from one place to the next. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Under which condition, as a sentence. */
  readonly label?: string;
}

/** The picture of a workflow. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A place, and what became of it in a run. */
export interface PaintedNode extends GraphNode {
  readonly standing: 'done' | 'current' | 'skipped' | 'ahead' | 'refused';
  readonly visits: number;
}

/** A way, and how often it was gone. */
export interface PaintedEdge extends GraphEdge {
  readonly taken: number;
}

/** A picture with what became of a run in it. */
export interface PaintedGraph {
  readonly nodes: readonly PaintedNode[];
  readonly edges: readonly PaintedEdge[];
}
