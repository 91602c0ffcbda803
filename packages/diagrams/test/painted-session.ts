import type { Operator } from '@workflowlookup/core/operator';
import type { PaintedPicture } from '../src/index.ts';
import { graphOf, paintGraph } from '../src/index.ts';

/** The picture of the workflow of a session, painted with the session. */
export async function paintedSession(operator: Operator, sid: string): Promise<PaintedPicture> {
  const [story, { workflow }] = [await operator.story(sid), await operator.contents(sid)];
  return paintGraph(graphOf(workflow), story);
}
