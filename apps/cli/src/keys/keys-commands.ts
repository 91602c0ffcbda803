import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { StateFlags } from '../state/add-state-command.ts';
import { addStateCommand } from '../state/add-state-command.ts';
import type { CreateOptions } from './create.ts';
import type { KeysContext } from './with-keys.ts';

/** The commands for the API keys of a server over HTTP. */
export function addKeysCommands(keys: Command, line: CommandLine): void {
  keys
    .description('say who may come in over HTTP, and until when')
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  workflowlookup keys create --principal team-a --scope read,write\n');
  addCreateCommand(keys, line);
  addStateCommand(keys, {
    usage: 'list',
    about: 'list keys, the oldest first, without their secrets',
    example: 'keys list',
  }).action((options: StateFlags) =>
    perform(line, options, async (context) => (await import('./list.ts')).list(context)),
  );
  addStateCommand(keys, {
    usage: 'revoke <key>',
    about: 'end a key, on every server that shares what is kept',
    example: 'keys revoke 1f4c9a20b7e3',
  }).action((id: string, options: StateFlags) =>
    perform(line, options, async (context) => (await import('./revoke.ts')).revoke(context, id)),
  );
  addStateCommand(keys, {
    usage: 'seal <key>',
    about: 'accept a key that an older release made, at a terminal',
    example: 'keys seal 1f4c9a20b7e3',
  }).action((id: string, options: StateFlags) =>
    perform(line, options, async (context) => (await import('./seal.ts')).seal(context, id)),
  );
}

function addCreateCommand(keys: Command, line: CommandLine): void {
  addStateCommand(keys, {
    usage: 'create',
    about: 'make a key; its secret is printed once and never again',
    example: 'keys create --principal team-a --scope read,write --expires 2030-01-31',
  })
    .requiredOption('--principal <name>', 'who holds it: sessions belong to principals')
    .requiredOption(
      '--scope <scopes>',
      'read, write, checkpoints:respond, separated by commas; repeatable',
      readScopes,
    )
    .option('--expires <when>', 'when the key expires: a date, or a span such as 30d')
    .action((options: CreateOptions & StateFlags) =>
      perform(line, options, async (context) => (await import('./create.ts')).create(context, options)),
    );
}

function readScopes(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',')];
}

async function perform(
  line: CommandLine,
  options: StateFlags,
  work: (context: KeysContext) => Promise<ExitCode>,
): Promise<void> {
  const { withKeys } = await import('./with-keys.ts');
  line.exit(await withKeys(line, options, work));
}
