import type { Json } from '@workflowlookup/schema';
import { context, input } from './fragments.ts';
import { jsonAnswer } from './session-answer.ts';
import { idText, sessionToken } from './session-fragments.ts';
import { defineTool, writeAnnotations } from './tool.ts';

interface Args {
  readonly session_token: string;
  readonly checkpoint_id: string;
  readonly variables?: Readonly<Record<string, Json>>;
}

/** `yield_checkpoint`: the worker stops until a checkpoint is answered. */
export const yieldCheckpoint = defineTool<Args>({
  name: 'yield_checkpoint',
  title: 'Stop at a checkpoint',
  description:
    'Stops the session at a checkpoint of the current activity. Call it where a step names one; only an answer lets it go on.',
  inputSchema: input(
    {
      session_token: sessionToken,
      checkpoint_id: idText('Checkpoint id'),
      variables: context('Values that the question should show'),
    },
    ['session_token', 'checkpoint_id'],
  ),
  annotations: writeAnnotations,
  examples: {
    request: {
      method: 'yield_checkpoint',
      params: { session_token: 'wl_…', checkpoint_id: 'go-ahead' },
    },
    response: {
      status: 'yielded',
      checkpoint_id: 'go-ahead',
      checkpoint_handle: 'wl_…',
      message: 'Stop here.',
      session_token: 'wl_…',
    },
  },
  async run({ sessions }, { session_token: token, checkpoint_id: checkpointId, variables }) {
    const reply = await sessions.yield(token, checkpointId, variables);
    return jsonAnswer(reply, {
      status: 'yielded',
      checkpoint_id: reply.value.checkpoint,
      checkpoint_handle: reply.token,
      message: whatToDo,
    });
  },
});

const whatToDo =
  'Stop and hand the checkpoint_handle to your orchestrator in a <checkpoint_yield> block; go on with resume_checkpoint once it ' +
  'is answered. Whoever talks to the user calls present_checkpoint, asks, and calls respond_checkpoint.';
