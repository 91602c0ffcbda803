import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { linesOfFile } from './lines-of-file.ts';
import type { CommandContext } from './with-operator.ts';

/** Keeps a session that was exported. */
export async function importFrom(
  { operator, terminal, answer }: CommandContext,
  file: string,
): Promise<ExitCode> {
  const session = await operator.import(file === '-' ? terminal.lines() : linesOfFile(file));
  await answer(session, () => `Session ${session.sid} is kept, with its ${session.revision} events.`);
  return exitCodes.ok;
}
