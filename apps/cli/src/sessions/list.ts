import { resolve } from 'node:path';
import type { SessionQuery, SessionRow } from '@workflowlookup/core/operator';
import type { ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import { plainLine, momentText } from '../terminal/plain-text.ts';
import { readAge } from './context.ts';
import type { Status } from '../commands/options.ts';
import { columns } from '../terminal/layout.ts';
import type { CommandContext } from './context.ts';

export interface ListOptions {
  readonly status?: readonly Status[];
  readonly workflow?: string;
  readonly agent?: string;
  readonly project?: string;
  readonly text?: string;
  readonly newer?: string;
  readonly older?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export async function list(
  { operator, state, answer }: CommandContext,
  options: ListOptions,
): Promise<ExitCode> {
  const query = queryOf(options);
  const { limit, cursor } = options;
  const page = state.isMade()
    ? await operator.find(query, { limit, ...(cursor === undefined ? {} : { cursor }) })
    : { sessions: [] };
  const rows = page.sessions.map((session) => [
    session.sid,
    statusText(session),
    momentText(session.updatedAt),
    plainLine(session.workflowId),
    plainLine(session.agent),
    plainLine(session.project ?? ''),
  ]);
  const more = page.next === undefined ? '' : `\nNext page: --cursor ${page.next}`;
  await answer(page, () =>
    rows.length === 0
      ? `No sessions${Object.keys(query).length === 0 ? '' : ' match these filters'} in ${state.place}.`
      : columns([['SESSION', 'STATUS', 'WRITTEN (UTC)', 'WORKFLOW', 'AGENT', 'FOLDER'], ...rows]) + more,
  );
  return exitCodes.ok;
}

function statusText({ status, imported, unauthentic }: SessionRow): string {
  if (unauthentic !== undefined) return `${status} (${unauthentic})`;
  if (imported === undefined) return status;
  return imported.isAuthentic ? `${status} (imported)` : `${status} (imported, not authenticated)`;
}

function queryOf({ status, workflow, agent, project, text, newer, older }: ListOptions): SessionQuery {
  return {
    ...(status === undefined ? {} : { statuses: status }),
    ...(workflow === undefined ? {} : { workflowId: workflow }),
    ...(agent === undefined ? {} : { agent }),
    ...(project === undefined ? {} : { project: resolve(project) }),
    ...(text === undefined ? {} : { text }),
    ...(newer === undefined ? {} : { updatedSince: readAge(newer) }),
    ...(older === undefined ? {} : { updatedBefore: readAge(older) }),
  };
}
