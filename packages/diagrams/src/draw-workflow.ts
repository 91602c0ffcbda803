import type { Workflow } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import type { Diagram, DiagramEdge, DiagramNode } from './diagram.ts';
import { drawActivities } from './draw-activities.ts';
import { drawSteps } from './draw-steps.ts';
import { createDiagramBuilder } from './diagram-builder.ts';

/**
 * Returns the full diagram of a workflow of either kind. {@link foldDiagram} removes the content of its groups.
 *
 * @example
 * ```ts
 * const { nodes, edges } = drawWorkflow(workflow);
 * ```
 */
export function drawWorkflow(workflow: Workflow): Diagram {
  const { id, name: title, version } = summarize(workflow);
  const sketch = createDiagramBuilder();
  sketch.add({ id: 'start', kind: 'start', label: 'Start' });
  if (workflow.kind === 'activities') drawActivities(sketch, workflow);
  else drawSteps(sketch, workflow);
  return {
    workflow: { id, title, version, digest: workflow.digest, kind: workflow.kind },
    ...sketch.finish(),
  };
}

/**
 * Returns a diagram without the content of some groups, by default of activities. Edges into or out of a group end at
 * the group, and edges inside it are removed. A painted diagram stays painted.
 */
export function foldDiagram<Node extends DiagramNode, Edge extends DiagramEdge>(
  picture: Diagram<Node, Edge>,
  isFolded: (node: Node) => boolean = ({ kind }) => kind === 'activity',
): Diagram<Node, Edge> {
  const standIns = new Map<string, string>();
  const nodes = picture.nodes.filter((node) => {
    const above = node.parent === undefined ? undefined : standIns.get(node.parent);
    if (above !== undefined || isFolded(node)) standIns.set(node.id, above ?? node.id);
    return above === undefined;
  });
  const standIn = (id: string): string => standIns.get(id) ?? id;
  const edges = picture.edges.flatMap((edge) => {
    const from = standIn(edge.from);
    const to = standIn(edge.to);
    return from === to && isWithin(edge) ? [] : [{ ...edge, from, to }];
  });
  return { ...picture, nodes, edges };
}

/** An activity may lead to itself. Every other edge that begins and ends in one group is inside it. */
function isWithin({ kind, by }: DiagramEdge): boolean {
  return kind !== 'way' && (kind !== 'answer' || by === undefined);
}
