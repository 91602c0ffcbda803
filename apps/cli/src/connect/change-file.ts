import { rm } from 'node:fs/promises';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../commands/command-line.ts';
import { refuseLinks, replaceFile } from '../files.ts';
import { connectMessages } from '../messages/clients.ts';
import { diffText } from '../terminal/excerpts.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Output } from '../terminal/terminal.ts';
import { requireConfirmation } from '../terminal/terminal.ts';
import type { Scope } from './config-file.ts';
import { readConfig } from './config-file.ts';

/** A change of a file that configures a client. */
export interface FileChange {
  readonly client: string;
  readonly scope: Scope;
  readonly file: string;
  /** The text of the file; absent if there is no such file. */
  readonly before: string | undefined;
  readonly after: string;
  /** Whether to delete the file, because it is not needed with this text. */
  readonly isDeleted?: boolean;
}

type Outcome = 'changed' | 'created' | 'removed';

/** What is said about a change. Each text gets the path as it is shown. */
interface ChangeTexts {
  unchanged(path: string): string;
  question?(path: string): string;
  readonly needed?: string;
  readonly declined?: string;
  done(path: string, outcome: Outcome): string;
}

/**
 * Changes a file of a client, after showing the change and asking for confirmation. A file of the user may be a link; a
 * file of the project may not.
 *
 * @throws WorkflowError CONFLICT if the file changed in the meantime
 */
export async function changeFile(
  { answer, asJson, terminal }: Output,
  { client, scope, file, before, after, isDeleted = false }: FileChange,
  { yes = false, ...texts }: ChangeTexts & { readonly yes?: boolean | undefined },
): Promise<ExitCode> {
  const path = plainLine(file);
  const text = before ?? '';
  if (after === text)
    return answer({ client, scope, file, outcome: 'unchanged' }, () => texts.unchanged(path));
  if ((!yes && terminal.isInteractive) || !asJson)
    await terminal.warn(`${path}\n${diffText(text, isDeleted ? '' : after, terminal)}\n`);
  await requireConfirmation(terminal, {
    yes,
    question: (texts.question ?? connectMessages.write)(path),
    needed: texts.needed ?? connectMessages.toWrite,
    declined: texts.declined ?? connectMessages.declined,
  });
  if (((await readConfig(file))?.text ?? '') !== text)
    throw new WorkflowError('CONFLICT', connectMessages.changedMeanwhile(file));
  if (isDeleted) {
    if (scope === 'project') await refuseLinks(file);
    await rm(file);
  } else await replaceFile(file, after, { mayBeLink: scope === 'user' });
  const outcome = isDeleted ? 'removed' : before === undefined ? 'created' : 'changed';
  return answer({ client, scope, file, outcome }, () => texts.done(path, outcome));
}
