import { WorkflowError } from '@workflowlookup/schema';
import { makeSure } from '../make-sure.ts';
import type { Output } from '../output.ts';
import { plainLine } from '../plain-text.ts';
import { replaceFile } from '../write-files.ts';
import { diffText } from '../render/diff-text.ts';
import type { ClientId, McpServer } from './clients.ts';
import { clients } from './clients.ts';
import type { Scope } from './config-file.ts';
import type { ConfigText } from './config-text.ts';
import { editConfig } from './edit-config.ts';
import { readConfig } from './read-config.ts';

/** The file of a client that is to know a server. */
export interface Target {
  readonly id: ClientId;
  readonly server: McpServer;
  readonly scope: Scope;
  readonly file: string;
}

/** Writes a server into the file of a client, once a person has seen what changes and wants it. */
export async function tellClient(
  { answer, asJson, terminal }: Output,
  target: Target,
  yes: boolean,
): Promise<void> {
  const { id, server, scope, file } = target;
  const { title } = clients[id];
  const before = await readConfig(file);
  const { text = '' } = before ?? {};
  const after = editConfig({ file, text }, clients[id], server);
  if (after === text)
    return answer(
      { client: id, scope, file, outcome: 'unchanged' },
      () => `${title} knows this server already, from ${plainLine(file)}.`,
    );
  const isAsked = !yes && terminal.isInteractive;
  if (isAsked || !asJson) await terminal.warn(`${plainLine(file)}\n${diffText(text, after, terminal)}\n`);
  await makeSure(terminal, {
    yes,
    question: `Write this to ${plainLine(file)}?`,
    needed: 'to write the file',
    declined: 'Nothing was written.',
  });
  await replace({ file, text }, after, scope);
  const outcome = before === undefined ? 'created' : 'changed';
  return answer(
    { client: id, scope, file, outcome },
    () => `${plainLine(file)} is ${outcome}: ${title} finds the server when it starts again.`,
  );
}

/** Puts the new text in the place of the old one. A file of the user may be a link of theirs; one of a project may not. */
async function replace({ file, text }: ConfigText, after: string, scope: Scope): Promise<void> {
  const now = await readConfig(file);
  if ((now?.text ?? '') !== text)
    throw new WorkflowError('STATE', `${file} was changed meanwhile. Nothing was written: run this again.`);
  await replaceFile(file, after, { mayBeLink: scope === 'user' });
}
