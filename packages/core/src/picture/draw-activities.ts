import type { ActivityWorkflow } from '@workflowlookup/schema';
import { initialActivityOf, reservedTargets } from '@workflowlookup/schema';
import { drawActivity } from './draw-activity.ts';
import { drawWays } from './draw-ways.ts';
import type { Sketch } from './sketch.ts';
import { nodeId } from './sketch.ts';

/** Draws the activities of a workflow, and the ways between them. */
export function drawActivities(sketch: Sketch, workflow: ActivityWorkflow): void {
  const { activities } = workflow;
  for (const part of activities) drawActivity(sketch, part);
  sketch.add({ id: 'end', kind: 'end', label: 'End' });
  const first = initialActivityOf(workflow);
  if (first !== undefined) sketch.connect([{ from: 'start', kind: 'next' }], target(sketch, first));
  for (const part of activities) drawWays(sketch, part, { activities, target: (id) => target(sketch, id) });
}

/** The node a word of the definition leads to; an activity that can't be used gets one where it is named. */
function target(sketch: Sketch, word: string): string {
  const id = nodeId('activity', word);
  if (sketch.has(id)) return id;
  if (reservedTargets.includes(word)) return 'end';
  const missing = nodeId('missing', word);
  if (!sketch.has(missing)) sketch.add({ id: missing, kind: 'missing', label: word, ref: word });
  return missing;
}
