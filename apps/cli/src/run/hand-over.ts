import type { Task } from '@workflowlookup/core/operator';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import { messages } from '../messages.ts';
import type { CommandContext } from '../sessions/context.ts';
import { sessionOf } from '../sessions/context.ts';
import { plainLine } from '../terminal/plain-text.ts';

export interface HandOver {
  readonly sid: string;
  readonly workflow: Task['workflow'];
  readonly status: Task['status'];
  /** The current activity. */
  readonly at?: string;
  /** The calls with which an agent takes over the session. */
  readonly calls: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, string>> }[];
}

/** Prints what an agent needs to take over a session. Changes nothing and creates no token. */
export async function handOver(context: CommandContext, session: string): Promise<ExitCode> {
  const task = await context.operator.task(await sessionOf(context, session));
  if (task.status === 'completed') {
    throw new WorkflowError('SESSION_COMPLETED', messages.sessions.completed(task.sid));
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
  const waits = status === 'blocked' ? ', where a checkpoint needs an answer' : '';
  return [
    `Take over a session of ${title} (${id} ${version}). It is ${place}${waits}.`,
    '',
    'The workflowlookup server stores it. Make these calls in order:',
    ...calls.map((call) => `  ${call.tool} ${JSON.stringify(call.arguments)}`),
    '',
    'The second result has the current state and the calls that are legal now. Each result has the token for the next call.',
  ]
    .map(plainLine)
    .join('\n');
}
