import { open, rm } from 'node:fs/promises';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainLine } from '../plain-text.ts';
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
  const lines = await writeNew(file, operator.export(sid));
  await context.answer({ sid, file, lines }, () => `Session ${sid} is exported to ${plainLine(file)}.`);
  return exitCodes.ok;
}

/** Only a whole export stays; what is there already is not written over. */
async function writeNew(file: string, lines: AsyncIterable<string>): Promise<number> {
  const target = await open(file, 'wx', 0o600);
  let count = 0;
  try {
    for await (const line of lines) {
      await target.write(`${line}\n`);
      count += 1;
    }
    await target.sync();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await target.close();
  }
  return count;
}
