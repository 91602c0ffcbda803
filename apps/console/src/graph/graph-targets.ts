import type { Diagram } from '../contract/index.ts';

/** What a node or an edge of a graph leads to: an activity or a step or, with `to`, a move between two of them. */
export interface GraphTarget {
  readonly id: string;
  /** `end` is the end of the session. */
  readonly to?: string;
  /** The step of the activity. */
  readonly step?: string;
  /** The checkpoint of the activity. */
  readonly checkpoint?: string;
}

/** Names the part of a workflow that a target is: `ACTIVITY`, `ACTIVITY/STEP`, `ACTIVITY/checkpoint:ID` or `STEP`. */
export function partOf({ id, step, checkpoint }: GraphTarget): string {
  if (checkpoint !== undefined) return `${id}/checkpoint:${checkpoint}`;
  return step === undefined ? id : `${id}/${step}`;
}

/** Returns what a node leads to: a step or a checkpoint, or the activity that it is or belongs to. */
export function targetOfNode(graph: Diagram, id: string): GraphTarget | undefined {
  const own = ownerOf(graph, id);
  const node = graph.nodes.find((one) => one.id === id);
  if (own === undefined) return undefined;
  if (node?.ref === undefined || graph.workflow.kind === 'steps') return { id: own };
  if (node.kind === 'step') return { id: own, step: node.ref };
  return node.kind === 'checkpoint' ? { id: own, checkpoint: node.ref } : { id: own };
}

/** Returns what an edge leads to: a move, or the activity that it is inside of. */
export function targetOfEdge(graph: Diagram, id: string): GraphTarget | undefined {
  const edge = graph.edges.find((one) => one.id === id);
  if (edge === undefined) return undefined;
  const isEnd = graph.nodes.some((node) => node.id === edge.to && node.kind === 'end');
  const [from, to] = [ownerOf(graph, edge.from), isEnd ? 'end' : ownerOf(graph, edge.to)];
  if (from === undefined) return to === undefined || isEnd ? undefined : { id: to };
  return to === undefined || to === from ? { id: from } : { id: from, to };
}

/** Returns the id of the activity, or of the step of a step workflow, that a node is or belongs to. */
function ownerOf({ nodes, workflow }: Diagram, id: string): string | undefined {
  const unit = workflow.kind === 'steps' ? 'step' : 'activity';
  const byId = new Map(nodes.map((node) => [node.id, node]));
  // The checkpoint of a step stands beside the step.
  const start = byId.get(workflow.kind === 'steps' ? id.replace(/^checkpoint:(.*)\/[^/]*$/, 'step:$1') : id);
  for (let node = start; node !== undefined; node = byId.get(node.parent ?? ''))
    if (node.kind === unit) return node.ref;
  return undefined;
}
