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
  const { sid, revision, imported } = session;
  await answer(session, () =>
    imported?.isAuthentic === true
      ? `Session ${sid} is kept, with its ${revision} events. A server with the same keys exported it: it can be continued here.`
      : `Session ${sid} is kept, with its ${revision} events. No key of this server sealed them: it can be read here but not continued.`,
  );
  return exitCodes.ok;
}
