import type { Task } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainLine } from '../plain-text.ts';
import { sessionOf } from '../sessions/session-of.ts';
import type { CommandContext } from '../sessions/with-operator.ts';

/** What an agent needs that takes a session over. */
export interface HandOver {
  readonly sid: string;
  readonly workflow: Task['workflow'];
  readonly status: Task['status'];
  /** The activity it stands at. */
  readonly at?: string;
  /** The calls by which an agent takes it up and finds its way. */
  readonly calls: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, string>> }[];
}

/** Prints what an agent needs to take a session over; nothing is changed, and no token is made. */
export async function handOver(context: CommandContext, session: string): Promise<ExitCode> {
  const task = await context.operator.task(await sessionOf(context, session));
  if (task.status === 'completed') {
    throw new WorkflowError(
      'SESSION_COMPLETED',
      `Session '${task.sid}' is over: nothing is left to hand over.`,
    );
  }
  const packet = packetOf(task);
  await context.answer(packet, () => packetText(packet));
  return exitCodes.ok;
}

function packetOf({ sid, workflow, status, activity }: Task): HandOver {
  return {
    sid,
    workflow,
    status,
    ...(activity === undefined ? {} : { at: activity.id }),
    calls: [
      { tool: 'start_session', arguments: { agent_id: 'YOUR-NAME', session_token: sid } },
      { tool: 'get_workflow_status', arguments: { session_token: 'THE-TOKEN-OF-THAT-ANSWER' } },
    ],
  };
}

function packetText({ workflow, status, at, calls }: HandOver): string {
  const { title, id, version } = workflow;
  const place = at === undefined ? 'at its start' : `at '${at}'`;
  const waits = status === 'blocked' ? ', where a checkpoint waits for its answer' : '';
  return [
    `Take over a session of ${title} (${id} ${version}). It stands ${place}${waits}.`,
    '',
    'The workflowlookup server has it. Call, one after the other:',
    ...calls.map((call) => `  ${call.tool} ${JSON.stringify(call.arguments)}`),
    '',
    'The second answer says where the session stands and which calls are legal now. Each answer has the token for the next call.',
  ]
    .map(plainLine)
    .join('\n');
}
