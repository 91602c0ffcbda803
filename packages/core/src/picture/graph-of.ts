import type { Workflow } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import { drawActivities } from './draw-activities.ts';
import { drawSteps } from './draw-steps.ts';
import type { Picture } from './picture.ts';
import { createSketch } from './sketch.ts';

/** The picture of a workflow, of either kind, in all its detail; {@link foldPicture} leaves out what is inside groups. */
export function graphOf(workflow: Workflow): Picture {
  const { id, name: title, version } = summarize(workflow);
  const sketch = createSketch();
  sketch.add({ id: 'start', kind: 'start', label: 'Start' });
  if (workflow.kind === 'activities') drawActivities(sketch, workflow);
  else drawSteps(sketch, workflow);
  return {
    workflow: { id, title, version, digest: workflow.digest, kind: workflow.kind },
    ...sketch.finish(),
  };
}
