import type { Operator } from '@workflowlookup/core/operator';
import type { SessionDiagram } from '../src/index.ts';
import { drawWorkflow, drawSession } from '../src/index.ts';

/** Draws the workflow of a session, marked with what the session did. */
export async function paintedSession(operator: Operator, sid: string): Promise<SessionDiagram> {
  const [history, { workflow }] = [await operator.history(sid), await operator.contents(sid)];
  return drawSession(drawWorkflow(workflow), history);
}
