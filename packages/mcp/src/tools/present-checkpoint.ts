import type { Presented, Reply } from '@workflowlookup/core';
import { answeredOnWire } from './answered-on-wire.ts';
import { input } from './fragments.ts';
import type { HandleOrToken } from './handle-or-token.ts';
import { handleOrToken } from './handle-or-token.ts';
import { late } from './late.ts';
import { textAnswer } from './session-answer.ts';
import { checkpointHandle, tokenForHandle } from './session-fragments.ts';
import type { Choice, ToolAnswer, ToolContext } from './tool.ts';
import { defineTool, writeAnnotations } from './tool.ts';
import { toToon } from './toon.ts';

/** `present_checkpoint`: the checkpoint that waits, put to the person where the client can. */
export const presentCheckpoint = defineTool<HandleOrToken>({
  name: 'present_checkpoint',
  title: 'Show a checkpoint',
  description:
    'Shows the checkpoint that waits: message, options, effects, timer. Call it before you ask the user; some clients ask for you.',
  inputSchema: input({ checkpoint_handle: checkpointHandle, session_token: tokenForHandle }, []),
  annotations: writeAnnotations,
  examples: {
    request: { method: 'present_checkpoint', params: { checkpoint_handle: 'wl_…' } },
    response: {
      content: [{ type: 'text', text: 'checkpoint_handle: wl_…\nid: go-ahead\nmessage: Go ahead?\n…' }],
    },
  },
  waits: () => true,
  async run(context, args) {
    const reply = await context.sessions.present(await handleOrToken(args));
    const option = await chosen(context, reply.value);
    if (option === undefined) return presentation(reply);
    const mode = { kind: 'option', option } as const;
    return answeredOnWire(await context.sessions.answer(reply.token, { mode, through: 'elicitation' }));
  },
});

async function chosen({ elicit }: ToolContext, presented: Presented): Promise<Choice> {
  if (elicit === undefined || !presented.mayElicit) return undefined;
  const { message, options } = (await late()).markedCheckpoint(presented);
  return elicit({
    message: presented.values.every(({ isFromWorkflow }) => isFromWorkflow)
      ? message
      : `${message}\n\nText between « and » is not part of the workflow: the agent may have written it.`,
    options: options.map(({ id, label, description }) => ({
      id,
      label,
      ...(description !== undefined && { description }),
    })),
  });
}

async function presentation(reply: Reply<Presented>): Promise<ToolAnswer> {
  const { checkpoint, activity, definition, yieldedAt, needsHuman, humanAnswersWith } = reply.value;
  const shown = {
    checkpoint_handle: reply.token,
    activity_id: activity,
    ...(definition.source !== undefined && { workflow_source: definition.source }),
    workflow_digest: definition.digest,
    yielded_at: yieldedAt,
    needs_human: needsHuman,
    ...(humanAnswersWith !== undefined && { human_answers_with: humanAnswersWith }),
    ...(reply.warnings.length > 0 && { warnings: reply.warnings }),
    ...checkpoint,
  };
  return textAnswer(reply, await toToon(shown));
}
