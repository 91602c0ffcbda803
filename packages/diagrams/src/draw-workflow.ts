import type { LoopNode, Node as CompiledNode, StepNode } from '@workflowlookup/core/decisions';
import { compileWorkflow } from '@workflowlookup/core/decisions';
import type { StepWorkflow, Workflow } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import type { DiagramBuilder, DrawPosition, LooseEnd, Diagram, DiagramEdge, DiagramNode } from './diagram.ts';
import { createDiagramBuilder, drawChoice, drawLoop, nodeId } from './diagram.ts';
import { drawActivities } from './draw-activities.ts';
import { labels, outlineTexts } from './messages.ts';
import { when } from './outline.ts';

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
  sketch.add({ id: 'start', kind: 'start', label: labels.start });
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

function drawSteps(sketch: DiagramBuilder, workflow: StepWorkflow): void {
  const { nodes } = compileWorkflow(workflow);
  const ends = drawNodes(sketch, nodes, { path: [], ends: [{ from: 'start', kind: 'next' }] });
  sketch.add({ id: 'end', kind: 'end', label: labels.end }, { ends });
}

/** Draws nodes in order, and returns the open ends of the last one. */
function drawNodes(
  sketch: DiagramBuilder,
  nodes: readonly CompiledNode[],
  position: DrawPosition,
): readonly LooseEnd[] {
  return nodes.reduce<readonly LooseEnd[]>(
    (ends, node) => drawNode(sketch, node, { ...position, path: [...position.path, node.step.id], ends }),
    position.ends,
  );
}

function drawNode(sketch: DiagramBuilder, node: CompiledNode, position: DrawPosition): readonly LooseEnd[] {
  return drawChoice(sketch, when(node.step.runCondition).when, position, (inside) =>
    node.kind === 'loop'
      ? drawIterations(sketch, node, inside)
      : drawConfirmation(sketch, node, { ...inside, step: drawStep(sketch, node, inside) }),
  );
}

function drawIterations(
  sketch: DiagramBuilder,
  { step, body }: LoopNode,
  position: DrawPosition,
): readonly LooseEnd[] {
  const loop = { ref: step.id, title: step.title, rounds: outlineTexts.stepIterations(step.loop) };
  return drawLoop(sketch, loop, position, (inside) => drawNodes(sketch, body, inside));
}

function drawStep(sketch: DiagramBuilder, { step }: StepNode, position: DrawPosition): string {
  const id = nodeId('step', ...position.path);
  const { id: ref, title: label, runCondition, validationCriteria } = step;
  const judged = validationCriteria === undefined ? {} : { isJudged: true as const };
  sketch.add({ id, kind: 'step', label, ref, ...when(runCondition), ...judged }, position);
  return id;
}

/** A confirmation sends the step back or lets it pass. */
function drawConfirmation(
  sketch: DiagramBuilder,
  { step, confirms }: StepNode,
  { path, parent, step: from }: Omit<DrawPosition, 'ends'> & { readonly step: string },
): readonly LooseEnd[] {
  if (confirms === false) return [{ from, kind: 'next' }];
  const { title, approver = 'any', requireConfirmation: source } = step;
  const asked = typeof source === 'boolean' ? {} : when(source);
  const id = nodeId('checkpoint', ...path, 'confirm');
  const end: LooseEnd =
    asked.when === undefined ? { from, kind: 'next' } : { from, kind: 'branch', label: asked.when };
  sketch.add(
    { id, kind: 'checkpoint', label: labels.confirm(title), ref: 'confirm', ...asked, approver },
    { parent, ends: [end] },
  );
  sketch.connect([{ from: id, kind: 'answer', label: labels.revised, options: ['revise'] }], from);
  const confirmed: LooseEnd = { from: id, kind: 'answer', label: labels.confirmed, options: ['confirm'] };
  if (asked.when === undefined) return [confirmed];
  return [confirmed, { from, kind: 'branch', label: labels.otherwise }];
}
