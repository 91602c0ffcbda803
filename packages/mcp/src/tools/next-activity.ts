import type { ActivityClaim, ManifestEntry } from '@workflowlookup/core';
import type { Json } from '@workflowlookup/schema';
import { context, input } from './fragments.ts';
import { jsonAnswer } from './session-answer.ts';
import { conditionText, entries, idText, sessionToken, text } from './session-fragments.ts';
import { defineTool, writeAnnotations } from './tool.ts';

interface Args {
  readonly session_token: string;
  readonly activity_id?: string;
  readonly transition_condition?: string;
  readonly step_manifest?: readonly ManifestEntry[];
  readonly activity_manifest?: readonly ActivityClaim[];
  readonly variables?: Readonly<Record<string, Json>>;
}

/** `next_activity`: on to the next activity, or to the end. */
export const nextActivity = defineTool<Args>({
  name: 'next_activity',
  title: 'Next activity',
  description:
    'Enters the first activity, or leaves the current one, once it is done, for the next. Then call get_activity.',
  inputSchema: input(
    {
      session_token: sessionToken,
      activity_id: idText('Default: the first legal one. end: completes the session'),
      transition_condition: conditionText('Condition the move goes by'),
      step_manifest: entries(
        'Every step done in the activity you leave, in order',
        { step_id: idText('Step id'), output: text('What came of it') },
        ['step_id', 'output'],
      ),
      activity_manifest: entries(
        'Activities completed so far',
        {
          activity_id: idText('Activity id'),
          outcome: text('How it ended'),
          transition_condition: conditionText('Condition it was left by'),
        },
        ['activity_id', 'outcome'],
      ),
      variables: context("Values you learned (a step's context), set before the move is judged"),
    },
    ['session_token'],
  ),
  annotations: writeAnnotations,
  examples: {
    request: {
      method: 'next_activity',
      params: {
        session_token: 'wl_…',
        activity_id: 'report',
        step_manifest: [{ step_id: 'read-it', output: 'Two findings' }],
      },
    },
    response: { activity_id: 'report', name: 'Report', session_token: 'wl_…' },
  },
  async run({ sessions }, args) {
    const { session_token: token, activity_id: activityId, transition_condition: condition } = args;
    const { step_manifest: manifest, activity_manifest: activityManifest, variables } = args;
    const reply = await sessions.move(token, {
      ...(activityId !== undefined && { activityId }),
      ...(condition !== undefined && { condition }),
      ...(manifest !== undefined && { manifest }),
      ...(activityManifest !== undefined && { activityManifest }),
      ...(variables !== undefined && { variables }),
    });
    const moved = reply.value;
    return moved.status === 'completed'
      ? jsonAnswer(reply, { status: moved.status, completed_activities: moved.completed })
      : jsonAnswer(reply, { activity_id: moved.activity, name: moved.name });
  },
});
