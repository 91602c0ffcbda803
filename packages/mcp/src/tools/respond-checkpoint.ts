import type { AnswerMode } from '@workflowlookup/core';
import { answeredOnWire } from './answered-on-wire.ts';
import { input } from './fragments.ts';
import type { HandleOrToken } from './handle-or-token.ts';
import { handleOrToken } from './handle-or-token.ts';
import { invalidArguments } from './invalid-arguments.ts';
import { checkpointHandle, flag, idText, tokenForHandle } from './session-fragments.ts';
import { defineTool, writeAnnotations } from './tool.ts';

interface Args extends HandleOrToken {
  readonly option_id?: string;
  readonly auto_advance?: boolean;
  readonly condition_not_met?: boolean;
}

/** `respond_checkpoint`: the answer to the checkpoint that waits. */
export const respondCheckpoint = defineTool<Args>({
  name: 'respond_checkpoint',
  title: 'Answer a checkpoint',
  description:
    'Answers the checkpoint that waits, in exactly one way. Call it with the option the user chose, or where timer or condition allow.',
  inputSchema: input(
    {
      checkpoint_handle: checkpointHandle,
      session_token: tokenForHandle,
      option_id: idText('Option the user chose'),
      auto_advance: flag('Take the default once the timer has run'),
      condition_not_met: flag('Dismiss it: its condition is false'),
    },
    [],
  ),
  annotations: writeAnnotations,
  examples: {
    request: {
      method: 'respond_checkpoint',
      params: { checkpoint_handle: 'wl_…', option_id: 'start' },
    },
    response: {
      checkpoint_id: 'go-ahead',
      resolved: true,
      checkpoint_handle: 'wl_…',
      resolved_option: 'start',
      session_token: 'wl_…',
    },
  },
  async run({ sessions }, args) {
    const token = await handleOrToken(args);
    return answeredOnWire(await sessions.answer(token, { mode: await modeOf(args) }));
  },
});

/** A mode counts by its value: `auto_advance: false` is none. */
async function modeOf({
  option_id: option,
  auto_advance: advance,
  condition_not_met: dismiss,
}: Args): Promise<AnswerMode> {
  const modes: readonly AnswerMode[] = [
    ...(option === undefined ? [] : [{ kind: 'option', option } as const]),
    ...(advance === true ? [{ kind: 'auto-advance' } as const] : []),
    ...(dismiss === true ? [{ kind: 'condition-not-met' } as const] : []),
  ];
  const [mode] = modes;
  if (mode !== undefined && modes.length === 1) return mode;
  throw await invalidArguments(
    `Give exactly one of option_id, auto_advance: true and condition_not_met: true, found ${modes.length}`,
  );
}
