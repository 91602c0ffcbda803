import type { CallKind, NextCall } from '@workflowlookup/core';
import type { JsonObject } from '@workflowlookup/schema';

/** The tool that makes a call. */
export const toolOfCall: Readonly<Record<CallKind, string>> = {
  start: 'start_session',
  status: 'get_workflow_status',
  'read-workflow': 'get_workflow',
  move: 'next_activity',
  'read-activity': 'get_activity',
  yield: 'yield_checkpoint',
  resume: 'resume_checkpoint',
  present: 'present_checkpoint',
  answer: 'respond_checkpoint',
  'read-skills': 'get_skills',
  'read-skill': 'get_skill',
  'read-resource': 'get_resource',
  'resolve-operations': 'resolve_operations',
  'read-trace': 'get_trace',
};

/** How long a call may wait for the answer of a person, in milliseconds. */
export const longestWaitMs = 50_000;

/**
 * Calls that are legal now, as an agent makes them; the token goes without saying. Where one way alone leads on it is not
 * an argument: what the agent learns in the activity may open another, and the server takes the one that is legal then.
 */
export function nextCallsOnWire(calls: readonly NextCall[]): readonly JsonObject[] {
  const moves = calls.filter(({ kind }) => kind === 'move');
  return calls.map((call) => onWire(call, moves.length === 1));
}

function onWire(call: NextCall, isOnlyMove: boolean): JsonObject {
  const tool = toolOfCall[call.kind];
  switch (call.kind) {
    case 'read-activity':
      return { tool, arguments: {} };
    case 'yield':
      return { tool, arguments: { checkpoint_id: call.checkpoint } };
    case 'present':
      return { tool, arguments: {}, checkpoint_id: call.checkpoint };
    case 'answer':
      return answering(call, tool);
    case 'move':
      return moving(call, tool, isOnlyMove);
  }
}

function answering(
  { checkpoint, options, by, isIdle }: Extract<NextCall, { kind: 'answer' }>,
  tool: string,
): JsonObject {
  if (isIdle === true) return { tool, arguments: { condition_not_met: true } };
  return by === 'human'
    ? {
        tool: toolOfCall.resume,
        arguments: { wait_ms: longestWaitMs },
        checkpoint_id: checkpoint,
        waits_for: 'human',
      }
    : { tool, arguments: {}, one_of: { option_id: options } };
}

/** The manifest has to name these steps; its outputs are the agent's. */
function moving(
  { activity, undecided, steps, moreSteps }: Extract<NextCall, { kind: 'move' }>,
  tool: string,
  isOnly: boolean,
): JsonObject {
  return {
    tool,
    arguments: activity === undefined || isOnly ? {} : { activity_id: activity },
    ...(activity !== undefined && isOnly && { leads_to: activity }),
    ...(undecided !== undefined && { set_first: undecided }),
    ...(steps.length > 0 && { manifest_steps: steps }),
    ...(moreSteps !== undefined && { more_steps: moreSteps }),
  };
}
