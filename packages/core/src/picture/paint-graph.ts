import type { Story } from '../operator/operator.ts';
import { paintNode } from './paint-node.ts';
import { gatherFacts } from './facts.ts';
import type { PaintedPicture } from './painted-picture.ts';
import type { Picture } from './picture.ts';
import { nodeId } from './sketch.ts';
import { stopsOf } from './stops.ts';
import { followTrail } from './trail.ts';

/**
 * Paints the picture of a workflow with what a session did of it. The picture is that of the definition the session was
 * started on.
 */
export function paintGraph(picture: Picture, story: Story): PaintedPicture {
  const trail = followTrail(picture, stopsOf(picture, story), insideSkipped(picture, story));
  const facts = gatherFacts(picture, story, trail);
  return {
    ...picture,
    nodes: picture.nodes.map((node) => ({ ...node, ...paintNode(node, facts) })),
    edges: [
      ...picture.edges.map((edge) => ({ ...edge, taken: trail.taken.get(edge.id) ?? 0 })),
      ...trail.leaps,
    ],
  };
}

/** Whether a node stands in an activity that a session never entered and never will. */
function insideSkipped({ nodes }: Picture, { plan }: Story): (id: string) => boolean {
  const skipped = plan.filter(({ standing }) => standing === 'skipped');
  const groups = new Set(skipped.map(({ id }) => nodeId('activity', id)));
  const inside = new Set<string>();
  for (const { id, parent = '' } of nodes) if (groups.has(parent) || inside.has(parent)) inside.add(id);
  return (id) => inside.has(id);
}
