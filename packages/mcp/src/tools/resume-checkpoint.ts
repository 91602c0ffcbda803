import { input } from './fragments.ts';
import { longestWaitMs } from './next-call-on-wire.ts';
import { jsonAnswer } from './session-answer.ts';
import { sessionToken } from './session-fragments.ts';
import { defineTool, lookupAnnotations } from './tool.ts';

interface Args {
  readonly session_token: string;
  readonly wait_ms?: number;
}

/** `resume_checkpoint`: on with the work once a checkpoint was answered. */
export const resumeCheckpoint = defineTool<Args>({
  name: 'resume_checkpoint',
  title: 'Go on after a checkpoint',
  description:
    'Tells the worker that its checkpoint was answered. Call it with wait_ms where a person has to answer.',
  inputSchema: input(
    {
      session_token: sessionToken,
      wait_ms: {
        type: 'integer',
        description: 'How long to wait for the answer',
        minimum: 0,
        maximum: longestWaitMs,
      },
    },
    ['session_token'],
  ),
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'resume_checkpoint', params: { session_token: 'wl_…' } },
    response: { status: 'resumed', message: 'Go on.', session_token: 'wl_…' },
  },
  waits: ({ wait_ms: waitMs = 0 }) => waitMs > 0,
  async run({ sessions, signal }, { session_token: token, wait_ms: waitMs = 0 }) {
    const reply = await sessions.resume(token, { waitMs, signal });
    return jsonAnswer(reply, {
      status: 'resumed',
      message: 'The checkpoint is answered: go on with the steps that are left.',
    });
  },
});
