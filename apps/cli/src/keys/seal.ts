import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainLine } from '../plain-text.ts';
import type { KeysContext } from './with-keys.ts';

/** Accepts the record of a key that was not made with the key ring, after a person has looked at it. */
export async function seal({ answer, keys, terminal }: KeysContext, id: string): Promise<ExitCode> {
  const key = (await keys.list()).find((one) => one.id === id);
  if (key === undefined) throw new WorkflowError('INVALID_PARAMS', `There is no key with the id '${id}'.`);
  if (key.isUnsealed === true) {
    if (!terminal.isInteractive)
      throw new WorkflowError(
        'HUMAN_REQUIRED',
        `Key ${id} was not made with the keys of this server. To accept it, run this at a terminal: workflowlookup keys seal ${id}`,
      );
    const { principal, scopes, createdAt } = key;
    await terminal.warn(
      `Key ${id} of ${plainLine(principal)} may ${scopes.join(', ')}; its record says it was made at ${plainLine(createdAt)}.\nAn older release made it, or somebody wrote it into the database.\n`,
    );
    if (!/^y(es)?$/i.test((await terminal.ask('Accept it? (y/N) ')) ?? ''))
      throw new WorkflowError('INVALID_PARAMS', 'Nothing was changed.');
    await keys.seal(id);
  }
  await answer({ id, sealed: true }, () => `Key ${id} is sealed.`);
  return exitCodes.ok;
}
