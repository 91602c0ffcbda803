import type { StepWorkflow } from '@workflowlookup/schema';
import type { LoopNode, Node, StepNode } from '@workflowlookup/core/decisions';
import { compileWorkflow } from '@workflowlookup/core/decisions';
import { stepRounds, when } from './outline.ts';
import type { LooseEnd, DiagramBuilder, DrawPosition } from './diagram-builder.ts';
import { drawChoice, drawLoop, nodeId } from './diagram-builder.ts';

export function drawSteps(sketch: DiagramBuilder, workflow: StepWorkflow): void {
  const { nodes } = compileWorkflow(workflow);
  const ends = drawNodes(sketch, nodes, { path: [], ends: [{ from: 'start', kind: 'next' }] });
  sketch.add({ id: 'end', kind: 'end', label: 'End' }, ends);
}

/** Draws nodes in order, and returns the open ends of the last one. */
function drawNodes(sketch: DiagramBuilder, nodes: readonly Node[], spot: DrawPosition): readonly LooseEnd[] {
  return nodes.reduce<readonly LooseEnd[]>(
    (ends, node) => drawNode(sketch, node, { ...spot, path: [...spot.path, node.step.id], ends }),
    spot.ends,
  );
}

function drawNode(sketch: DiagramBuilder, node: Node, spot: DrawPosition): readonly LooseEnd[] {
  return drawChoice(sketch, { ...when(node.step.runCondition), spot }, (inside) =>
    node.kind === 'loop'
      ? drawRounds(sketch, node, inside)
      : drawConfirmation(sketch, node, { ...inside, step: drawStep(sketch, node, inside) }),
  );
}

function drawRounds(
  sketch: DiagramBuilder,
  { step, body }: LoopNode,
  spot: DrawPosition,
): readonly LooseEnd[] {
  const loop = { ref: step.id, title: step.title, rounds: stepRounds(step.loop) };
  return drawLoop(sketch, { loop, spot }, (inside) => drawNodes(sketch, body, inside));
}

function drawStep(sketch: DiagramBuilder, { step }: StepNode, { path, parent, ends }: DrawPosition): string {
  const id = nodeId('step', ...path);
  const { id: ref, title: label, runCondition, validationCriteria } = step;
  sketch.add(
    {
      id,
      kind: 'step',
      label,
      ...(parent === undefined ? {} : { parent }),
      ref,
      ...when(runCondition),
      ...(validationCriteria === undefined ? {} : { isJudged: true }),
    },
    ends,
  );
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
  const id = nodeId('gate', ...path, 'confirm');
  const group = parent === undefined ? {} : { parent };
  sketch.add({ id, kind: 'gate', label: `Confirm: ${title}`, ...group, ref: 'confirm', ...asked, approver }, [
    asked.when === undefined ? { from, kind: 'next' } : { from, kind: 'branch', label: asked.when },
  ]);
  sketch.connect([{ from: id, kind: 'answer', label: 'Revise', options: ['revise'] }], from);
  const confirmed: LooseEnd = { from: id, kind: 'answer', label: 'Confirm', options: ['confirm'] };
  return asked.when === undefined ? [confirmed] : [confirmed, { from, kind: 'branch', label: 'otherwise' }];
}
