import type { Answered, Reply } from '@workflowlookup/core';
import { jsonAnswer } from './session-answer.ts';
import type { ToolAnswer } from './tool.ts';

/** What a call says that answered a checkpoint. */
export function answeredOnWire(reply: Reply<Answered>): ToolAnswer {
  const { checkpoint, answer, effect } = reply.value;
  return jsonAnswer(reply, {
    checkpoint_id: checkpoint,
    resolved: true,
    checkpoint_handle: reply.token,
    ...(answer.kind === 'dismissed' ? { dismissed: true } : { resolved_option: answer.option }),
    ...(effect !== undefined && { effect }),
  });
}
