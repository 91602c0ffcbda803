import { idInCommand } from '@workflowlookup/schema';
import type { ExitCode } from '../commands/command-line.ts';
import { exitCodes, present } from '../commands/command-line.ts';
import type { Status } from '../commands/options.ts';
import { writeNewLines } from '../files.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { columns, counted, momentText, plainLine } from '../terminal/plain-text.ts';
import type { SessionsContext } from './context.ts';
import { linesOfFile, readAge, sessionOf } from './context.ts';
import type { StateOptions } from './statement.ts';

/** Exports a session as JSON lines, or a signed statement of it, to a new file or to standard output. */
export async function exportTo(
  context: SessionsContext,
  session: string,
  file: string | undefined,
  options: StateOptions,
): Promise<ExitCode> {
  if (options.statement === true || options.key !== undefined)
    return (await import('./statement.ts')).exportStatement(context, session, file, options);
  const { operator, terminal } = context;
  const sid = await sessionOf(context, session);
  let last = '';
  async function* exported(): AsyncGenerator<string, void> {
    for await (last of operator.export(sid)) yield last;
  }
  if (file === undefined) {
    for await (const line of exported()) await terminal.printExact(`${line}\n`);
    if (!hasSeal(last)) await terminal.warn(withoutSeal(sid));
    return exitCodes.ok;
  }
  const lines = await writeNewLines(file, exported());
  const sealed = hasSeal(last);
  return context.answer({ sid, file, lines, sealed }, () =>
    [sessionMessages.exported(sid, plainLine(file)), ...(sealed ? [] : [withoutSeal(sid)])].join('\n'),
  );
}

function hasSeal(line: string): boolean {
  const { seal } = JSON.parse(line) as { readonly seal?: string };
  return seal !== undefined;
}

function withoutSeal(sid: string): string {
  return sessionMessages.exportUnsealed(idInCommand(sid));
}

export async function importFrom(
  { operator, terminal, answer }: SessionsContext,
  file: string,
): Promise<ExitCode> {
  const session = await operator.import(file === '-' ? terminal.lines() : linesOfFile(file));
  const { sid, revision, imported } = session;
  return answer(session, () =>
    imported?.isAuthentic === true
      ? sessionMessages.imported(sid, revision)
      : sessionMessages.importedUnsealed(sid, revision),
  );
}

export interface PruneOptions {
  readonly before: string;
  readonly status?: readonly Status[];
  readonly dryRun?: boolean;
}

export async function prune(
  { operator, state, answer }: SessionsContext,
  { before, status = ['completed'], dryRun = false }: PruneOptions,
): Promise<ExitCode> {
  const request = { before: readAge(before), statuses: status };
  const count = state.isMade() && !dryRun ? await operator.prune(request) : 0;
  const found = state.isMade() ? await operator.prunable(request) : { sessions: [], unauthentic: [] };
  const left = found.unauthentic.map(({ sid }) => sid);
  if (!dryRun) {
    return answer({ ...request, pruned: count, unauthentic: left }, () =>
      [sessionMessages.pruned(counted(count, 'session')), ...left.map(leftText)].join('\n'),
    );
  }
  const { sessions } = found;
  return answer({ ...request, sessions, unauthentic: left }, () =>
    present([
      sessions.length > 0 &&
        columns(sessions.map((one) => [one.sid, one.status, momentText(one.updatedAt), one.workflowId])),
      sessionMessages.wouldPrune(counted(sessions.length, 'session')),
      ...left.map(leftText),
    ]).join('\n'),
  );
}

function leftText(sid: string): string {
  return sessionMessages.notPruned(plainLine(sid), idInCommand(sid));
}
