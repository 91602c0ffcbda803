import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
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
  if (!yes && !(await isSure(terminal, sid)))
    throw new WorkflowError(
      'INVALID_PARAMS',
      terminal.isInteractive
        ? 'The session was not abandoned.'
        : 'Say --yes to abandon a session without being asked: standard input is no terminal.',
    );
  const written = await operator.abandon(sid);
  await context.answer({ sid, outcome: 'abandoned', ...written }, () => `Session ${sid} is abandoned.`);
  return exitCodes.ok;
}

async function isSure(terminal: CommandContext['terminal'], sid: string): Promise<boolean> {
  if (!terminal.isInteractive) return false;
  const text = await terminal.ask(`Abandon session ${sid}? It can't be taken up again. (y/N) `);
  return /^y(es)?$/i.test(text ?? '');
}
