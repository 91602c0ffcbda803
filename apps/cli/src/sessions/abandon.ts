import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { makeSure } from '../make-sure.ts';
import { sessionOf } from './session-of.ts';
import type { CommandContext } from './with-operator.ts';

/** What `abandon` takes. */
export interface AbandonOptions {
  readonly yes?: boolean;
}

/** Ends a session where it stands. */
export async function abandon(
  context: CommandContext,
  session: string,
  { yes = false }: AbandonOptions,
): Promise<ExitCode> {
  const { operator, terminal } = context;
  const sid = await sessionOf(context, session);
  await makeSure(terminal, {
    yes,
    question: `Abandon session ${sid}? It can't be taken up again.`,
    needed: 'to abandon a session',
    declined: 'The session was not abandoned.',
  });
  const written = await operator.abandon(sid);
  await context.answer({ sid, outcome: 'abandoned', ...written }, () => `Session ${sid} is abandoned.`);
  return exitCodes.ok;
}
