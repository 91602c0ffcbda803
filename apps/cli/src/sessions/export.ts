import { idInCommand } from '@workflowlookup/schema';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainLine } from '../plain-text.ts';
import { writeNewLines } from '../write-files.ts';
import { sessionOf } from './session-of.ts';
import type { CommandContext } from './with-operator.ts';

/** Writes a session as JSON lines, to a new file or to standard output. */
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
    [`Session ${sid} is exported to ${plainLine(file)}.`, ...(sealed ? [] : [withoutSeal(sid)])].join('\n'),
  );
  return exitCodes.ok;
}

function hasSeal(line: string): boolean {
  const { seal } = JSON.parse(line) as { readonly seal?: string };
  return seal !== undefined;
}

function withoutSeal(sid: string): string {
  return `The export has no seal, because the session can't be authenticated or something is missing from it. No server will continue it. See what is wrong with "workflowlookup sessions verify ${idInCommand(sid)}"; if that finds nothing, "workflowlookup sessions verify --all" looks for what hides rows in the database.`;
}
