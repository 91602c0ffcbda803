import { WorkflowError } from '@workflowlookup/schema';
import { replaceFile } from '../files.ts';
import { messages } from '../messages.ts';
import { diffText } from '../terminal/diff-text.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Output } from '../terminal/terminal.ts';
import { requireConfirmation } from '../terminal/terminal.ts';
import type { Client, ClientId, McpServer } from './clients.ts';
import { clients } from './clients.ts';
import type { ConfigText, Scope } from './config-file.ts';
import { readConfig } from './config-file.ts';
import { withJsonEntry } from './json-config.ts';
import { withTomlEntry } from './toml-config.ts';

/** The configuration file to change. */
interface Target {
  readonly id: ClientId;
  readonly server: McpServer;
  readonly scope: Scope;
  readonly file: string;
}

/** Writes a server into the configuration file of a client after showing the change and asking for confirmation. */
export async function configureClient(
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
    return answer({ client: id, scope, file, outcome: 'unchanged' }, () =>
      messages.connect.alreadyKnown(title, plainLine(file)),
    );
  const isAsked = !yes && terminal.isInteractive;
  if (isAsked || !asJson) await terminal.warn(`${plainLine(file)}\n${diffText(text, after, terminal)}\n`);
  await requireConfirmation(terminal, {
    yes,
    question: messages.connect.write(plainLine(file)),
    needed: messages.connect.toWrite,
    declined: messages.connect.declined,
  });
  await replace({ file, text }, after, scope);
  const outcome = before === undefined ? 'created' : 'changed';
  return answer({ client: id, scope, file, outcome }, () =>
    messages.connect.written(plainLine(file), outcome, title),
  );
}

/** Replaces the text of a file. A file of the user may be a link; a file of the project may not. */
async function replace({ file, text }: ConfigText, after: string, scope: Scope): Promise<void> {
  const now = await readConfig(file);
  if ((now?.text ?? '') !== text)
    throw new WorkflowError('CONFLICT', messages.connect.changedMeanwhile(file));
  await replaceFile(file, after, { mayBeLink: scope === 'user' });
}

const byteOrderMark = '\uFEFF';

/**
 * Returns the configuration file with the server added. Every other byte stays.
 *
 * @throws WorkflowError INVALID_FILE if the file is broken
 */
export function editConfig({ file, text }: ConfigText, client: Client, server: McpServer): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : '';
  const edit = client.format === 'json' ? withJsonEntry : withTomlEntry;
  return mark + edit({ file, text: text.slice(mark.length) }, client, server);
}
