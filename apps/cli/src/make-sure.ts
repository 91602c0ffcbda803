import { WorkflowError } from '@workflowlookup/schema';
import type { Terminal } from './terminal.ts';

/** What a person is asked before something is done that can't be undone. */
export interface Asking {
  /** Whether `--yes` was said. */
  readonly yes: boolean;
  readonly question: string;
  /** What `--yes` is needed for, where nobody can be asked: `to abandon a session`. */
  readonly needed: string;
  /** What is said where the person does not want it. */
  readonly declined: string;
}

/** Goes on where a person says yes, or said so beforehand. @throws WorkflowError INVALID_PARAMS */
export async function makeSure(
  terminal: Pick<Terminal, 'isInteractive' | 'ask'>,
  { yes, question, needed, declined }: Asking,
): Promise<void> {
  if (yes) return;
  if (!terminal.isInteractive)
    throw new WorkflowError(
      'INVALID_PARAMS',
      `Say --yes ${needed} without being asked: standard input is not a terminal.`,
    );
  const text = await terminal.ask(`${question} (y/N) `);
  if (!/^y(es)?$/i.test(text ?? '')) throw new WorkflowError('INVALID_PARAMS', declined);
}
