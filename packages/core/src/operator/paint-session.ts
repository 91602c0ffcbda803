import { keptDefinition } from '../session-engine/definitions.ts';
import { graphOf } from '../picture/graph-of.ts';
import { paintGraph } from '../picture/paint-graph.ts';
import type { PaintedPicture } from '../picture/painted-picture.ts';
import type { OperatorParts } from './load-run.ts';
import { tellStory } from './tell-story.ts';

/** The picture of the workflow a session was started on, painted with what became of the session. */
export async function paintSession(parts: OperatorParts, sid: string): Promise<PaintedPicture> {
  const story = await tellStory(parts, sid);
  const { workflow } = await keptDefinition(await parts.store(), story.session);
  return paintGraph(graphOf(workflow), story);
}
