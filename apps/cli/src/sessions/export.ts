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
  if (file === undefined) {
    for await (const line of operator.export(sid)) await terminal.printExact(`${line}\n`);
    return exitCodes.ok;
  }
  const lines = await writeNewLines(file, operator.export(sid));
  await context.answer({ sid, file, lines }, () => `Session ${sid} is exported to ${plainLine(file)}.`);
  return exitCodes.ok;
}
