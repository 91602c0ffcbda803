import { idInCommand } from '@workflowlookup/schema';
import type { ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { Status } from '../commands/options.ts';
import { writeNewLines } from '../files.ts';
import { messages } from '../messages.ts';
import { columns, momentText, plainLine } from '../terminal/plain-text.ts';
import type { CommandContext } from './context.ts';
import { linesOfFile, readAge, sessionOf } from './context.ts';

/** Exports a session as JSON lines, to a new file or to standard output. */
export async function exportTo(
  context: CommandContext,
  session: string,
  file: string | undefined,
): Promise<ExitCode> {
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
  await context.answer({ sid, file, lines, sealed }, () =>
    [messages.sessions.exported(sid, plainLine(file)), ...(sealed ? [] : [withoutSeal(sid)])].join('\n'),
  );
  return exitCodes.ok;
}

function hasSeal(line: string): boolean {
  const { seal } = JSON.parse(line) as { readonly seal?: string };
  return seal !== undefined;
}

function withoutSeal(sid: string): string {
  return messages.sessions.exportUnsealed(`workflowlookup sessions verify ${idInCommand(sid)}`);
}

export async function importFrom(
  { operator, terminal, answer }: CommandContext,
  file: string,
): Promise<ExitCode> {
  const session = await operator.import(file === '-' ? terminal.lines() : linesOfFile(file));
  const { sid, revision, imported } = session;
  await answer(session, () =>
    imported?.isAuthentic === true
      ? messages.sessions.imported(sid, revision)
      : messages.sessions.importedUnsealed(sid, revision),
  );
  return exitCodes.ok;
}

export interface PruneOptions {
  readonly before: string;
  readonly status?: readonly Status[];
  readonly dryRun?: boolean;
}

export async function prune(
  { operator, state, answer }: CommandContext,
  { before, status = ['completed'], dryRun = false }: PruneOptions,
): Promise<ExitCode> {
  const request = { before: readAge(before), statuses: status };
  const count = state.isMade() && !dryRun ? await operator.prune(request) : 0;
  const found = state.isMade() ? await operator.prunable(request) : { sessions: [], unauthentic: [] };
  const left = found.unauthentic.map(({ sid }) => sid);
  if (!dryRun) {
    await answer({ ...request, pruned: count, unauthentic: left }, () =>
      [messages.sessions.pruned(countOf(count)), ...left.map(leftText)].join('\n'),
    );
    return exitCodes.ok;
  }
  const { sessions } = found;
  const rows = sessions.map((one) => [
    one.sid,
    one.status,
    momentText(one.updatedAt),
    plainLine(one.workflowId),
  ]);
  await answer({ ...request, sessions, unauthentic: left }, () =>
    [
      ...(rows.length === 0 ? [] : [columns(rows)]),
      messages.sessions.wouldPrune(countOf(rows.length)),
      ...left.map(leftText),
    ].join('\n'),
  );
  return exitCodes.ok;
}

function leftText(sid: string): string {
  return messages.sessions.notPruned(plainLine(sid), `workflowlookup sessions verify ${idInCommand(sid)}`);
}

function countOf(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`;
}
