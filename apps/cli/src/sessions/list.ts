import { resolve } from 'node:path';
import type { SessionQuery, SessionRow } from '@workflowlookup/core/operator';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../commands/command-line.ts';
import { defined } from '../commands/command-line.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { momentText, columns } from '../terminal/plain-text.ts';
import type { Status } from '../commands/options.ts';
import type { SessionsContext } from './context.ts';
import { readAge } from './context.ts';

export interface ListOptions {
  readonly status?: readonly Status[];
  readonly workflow?: string;
  readonly agent?: string;
  readonly project?: string;
  readonly text?: string;
  readonly search?: string;
  readonly newer?: string;
  readonly older?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export async function list(
  { operator, state, answer }: SessionsContext,
  { status, workflow, agent, project, text, search, newer, older, limit, cursor }: ListOptions,
): Promise<ExitCode> {
  const query: SessionQuery = defined({
    statuses: status,
    workflowId: workflow,
    agent,
    project: project === undefined ? undefined : resolve(project),
    text,
    search,
    updatedSince: newer === undefined ? undefined : readAge(newer),
    updatedBefore: older === undefined ? undefined : readAge(older),
  });
  const page = state.isMade()
    ? await operator.find(query, { limit, ...defined({ cursor }) })
    : { sessions: [] };
  const found = await Promise.all(
    page.sessions.map(async (session) => ({ ...session, ...(await describe(operator, session.sid)) })),
  );
  const rows = found.map((session) => [
    session.sid,
    statusText(session),
    session.outcome ?? '',
    momentText(session.updatedAt),
    session.title ?? '',
    session.workflowId,
    session.agent,
    session.project ?? '',
  ]);
  const more = page.next === undefined ? '' : `\n${sessionMessages.nextPage(page.next)}`;
  return answer({ ...page, sessions: found }, () =>
    rows.length === 0
      ? sessionMessages.noneListed(state.place, Object.keys(query).length > 0)
      : columns([
          ['SESSION', 'STATUS', 'OUTCOME', 'CHANGED (UTC)', 'TITLE', 'WORKFLOW', 'AGENT', 'FOLDER'],
          ...rows,
        ]) + more,
  );
}

/** Returns the title and the outcome of a session. One that is damaged has none, and does not hide the others. */
async function describe(
  operator: SessionsContext['operator'],
  sid: string,
): Promise<{ readonly title?: string; readonly outcome?: string }> {
  const summary = await operator.summary(sid).catch((error: unknown) => {
    if (error instanceof WorkflowError && error.code !== 'STORE_UNAVAILABLE') return undefined;
    throw error;
  });
  return defined({ title: summary?.subject, outcome: summary?.ended?.name });
}

function statusText({ status, imported, unauthentic }: SessionRow): string {
  if (unauthentic !== undefined) return `${status} (${unauthentic})`;
  return imported === undefined ? status : sessionMessages.importedStatus(status, imported.isAuthentic);
}
