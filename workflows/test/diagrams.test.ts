import { foldDiagram, drawWorkflow } from '@workflowlookup/diagrams';
import type { Diagram } from '@workflowlookup/diagrams';
import type { Workflow } from '@workflowlookup/schema';
import { walkActivitySteps, walkSteps } from '@workflowlookup/schema';
import { describe, expect, it } from 'vitest';
import { readBundledFolders } from './support/bundled-folders.ts';
import { readBundled } from './support/bundled.ts';

const files = await readBundled();
const folders = await readBundledFolders();
const workflows: readonly Workflow[] = [
  ...files.flatMap(({ reading }) => reading.workflow ?? []),
  ...folders.flatMap(({ workflow }) => workflow ?? []),
];

/** Returns the ids of all parts of a workflow that a diagram shows as nodes. */
function authored(workflow: Workflow): readonly string[] {
  if (workflow.kind === 'steps') return [...walkSteps(workflow.definition.steps)].map(({ step }) => step.id);
  return workflow.activities.flatMap(({ id, definition }) => [
    id,
    ...[...walkActivitySteps(definition)].map(({ step }) => step.id),
    ...(definition.checkpoints ?? []).map((checkpoint) => checkpoint.id),
    ...(definition.decisions ?? []).map((decision) => decision.id),
    ...(definition.loops ?? []).map((loop) => loop.id),
  ]);
}

/** Returns the ids of the nodes that can be reached from the start. */
function reached({ nodes, edges }: Diagram): ReadonlySet<string> {
  const groups = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const found = new Set(['start']);
  for (const id of found) {
    for (const edge of edges) if (edge.from === id) found.add(edge.to);
    const group = groups.get(id);
    if (group !== undefined) found.add(group);
  }
  return found;
}

describe.each(workflows)('the diagram of $id', (workflow) => {
  const full = drawWorkflow(workflow);

  it.each([
    { form: 'complete', picture: full },
    { form: 'folded', picture: foldDiagram(full) },
  ])('has unique ids, and edges only between existing nodes that are not groups: $form', ({ picture }) => {
    const ids = picture.nodes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(picture.edges.map(({ id }) => id)).size).toBe(picture.edges.length);
    const groups = new Set(picture.nodes.map(({ parent }) => parent));
    const ends = new Set(ids.filter((id) => !groups.has(id)));
    expect(picture.edges.filter(({ from, to }) => !ends.has(from) || !ends.has(to))).toEqual([]);
    const early = picture.nodes.filter(
      ({ parent }, at) => parent !== undefined && !ids.slice(0, at).includes(parent),
    );
    expect(early).toEqual([]);
  });

  it('shows every part that has an id', () => {
    const shown = new Set(full.nodes.map(({ ref }) => ref));
    expect(authored(workflow).filter((id) => !shown.has(id))).toEqual([]);
  });

  it('has a path from the start to every node, and no missing nodes', () => {
    const found = reached(full);
    expect(full.nodes.filter(({ id }) => !found.has(id))).toEqual([]);
    expect(full.nodes.filter(({ kind }) => kind === 'missing')).toEqual([]);
  });

  it('can be written as JSON, and is the same each time', () => {
    expect(JSON.parse(JSON.stringify(full))).toEqual(full);
    expect(drawWorkflow(workflow)).toEqual(full);
  });
});
