import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import type { CommandLine, ExitCode } from '../command-line.ts';
import type { ClientId } from '../connect/clients.ts';
import { clientIds } from '../connect/clients.ts';
import type { ConnectOptions } from '../connect/connect.ts';
import type { HookClient } from '../hook/events.ts';
import { hookClients } from '../hook/events.ts';
import type { HooksOptions } from '../hooks/hooks.ts';
import type { AddressOptions, CreateOptions, KeysContext } from '../server/keys.ts';
import type { DoctorOptions } from '../server/doctor.ts';
import type { StateFlags } from './options.ts';
import { addCommand, addDefinitionCommand, addStateCommand, addStateFlags } from './options.ts';

/**
 * Adds the commands that start a server. Each passes its options to the server's own program, which loads only then.
 */
export function addServeCommands(serve: Command, { env }: CommandLine): void {
  serve
    .description('start a server')
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  workflowlookup serve stdio --workflows ./team-workflows\n');
  addServer(serve, 'stdio', 'serve one agent on standard input and output').action(
    async (args: readonly string[]) => (await import('@workflowlookup/stdio/run')).run({ args, env }),
  );
  addServer(serve, 'http', 'serve many agents over Streamable HTTP').action(async (args: readonly string[]) =>
    (await import('@workflowlookup/http/run')).run({ args, env }),
  );
}

function addServer(serve: Command, name: string, about: string): Command {
  return serve
    .command(name)
    .description(about)
    .argument('[options...]', `the options of workflowlookup-${name}; --help lists them`)
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions();
}

export function addKeysCommands(keys: Command, line: CommandLine): void {
  keys
    .description('manage the API keys of an HTTP server')
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  workflowlookup keys create --principal team-a --scope read,write\n');
  addCreateCommand(keys, line);
  addStateCommand(keys, {
    usage: 'list',
    about: 'list the API keys, oldest first, without their secrets',
    example: 'keys list',
  }).action((options: StateFlags) =>
    perform(line, options, async (context) => (await import('../server/keys.ts')).list(context)),
  );
  addStateCommand(keys, {
    usage: 'revoke <key>',
    about: 'revoke an API key on every server that uses this state directory or database',
    example: 'keys revoke 1f4c9a20b7e3',
  }).action((id: string, options: StateFlags) =>
    perform(line, options, async (context) => (await import('../server/keys.ts')).revoke(context, id)),
  );
  addStateCommand(keys, {
    usage: 'seal <key>',
    about: 'accept an API key that no server has signed; asks at a terminal',
    example: 'keys seal 1f4c9a20b7e3',
  }).action((id: string, options: StateFlags) =>
    perform(line, options, async (context) => (await import('../server/keys.ts')).seal(context, id)),
  );
}

function addCreateCommand(keys: Command, line: CommandLine): void {
  addStateCommand(keys, {
    usage: 'create',
    about: 'create an API key; its secret is printed only once',
    example: 'keys create --principal team-a --scope read,write --expires 2030-01-31',
  })
    .requiredOption('--principal <name>', 'the owner of the key; sessions belong to principals')
    .requiredOption(
      '--scope <scopes>',
      'read, write, checkpoints:respond, separated by commas; repeatable',
      readScopes,
    )
    .option('--expires <when>', 'when the key expires: a date, or a span such as 30d')
    .action((options: CreateOptions & StateFlags) =>
      perform(line, options, async (context) => (await import('../server/keys.ts')).create(context, options)),
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
  const { withKeys } = await import('../server/keys.ts');
  line.exit(await withKeys(line, options, work));
}

/** Adds the command that prints the addresses of a server without sign-in again. */
export function addAddressCommand(program: Command, line: CommandLine): void {
  addStateCommand(program, {
    usage: 'address',
    about:
      'print the addresses of a server on this machine: the one for agents, and a new one that signs you in',
    example: 'address --port 8420',
  })
    .option('--port <n>', 'the port of the server', '8420')
    .action(async (options: AddressOptions) => {
      const { printAddresses } = await import('../server/keys.ts');
      line.exit(await printAddresses(line, options));
    });
}

export function addConnectCommand(program: Command, line: CommandLine): void {
  addCommand(program, {
    usage: 'connect',
    about: 'show how to configure an MCP client, or write its configuration after showing the change',
    example: 'connect vscode --write',
  })
    .addArgument(new Argument('<client>', 'the MCP client').choices(clientIds))
    .argument('[server-options...]', 'after --, options for the server that the client starts')
    .option('--write', 'write the configuration file of the client')
    .addOption(
      new Option('--scope <scope>', 'with --write: the file of the project or of the user').choices([
        'project',
        'user',
      ]),
    )
    .option('--http <url>', 'the address of a running server, instead of one that the client starts')
    .option('--key-env <name>', 'the environment variable with its API key')
    .option('--yes', 'do not ask')
    .action(async (id: ClientId, serverOptions: readonly string[], options: ConnectOptions) => {
      const { connect } = await import('../connect/connect.ts');
      line.exit(await connect(line, { id, serverOptions }, options));
    });
}

/** Adds the commands that install hooks in clients, and the one that clients run. */
export function addHooksCommands(program: Command, line: CommandLine): void {
  const hooks = program
    .command('hooks')
    .description("install hooks in an agent's client, which keep the agent in its session")
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  workflowlookup hooks install claude-code\n');
  for (const [name, about] of [
    ['install', 'add the hooks to the file of a client, after showing the change'],
    ['remove', 'remove the hooks from the file of a client, after showing the change'],
  ] as const)
    addHooksFlags(
      addCommand(hooks, { usage: name, about, example: `hooks ${name} claude-code --user` }).addArgument(
        new Argument('<client>', 'the client').choices(hookClients),
      ),
    )
      .option('--project', 'the file of the project (default)')
      .option('--user', 'the file of the user, for all projects')
      .option('--yes', 'do not ask')
      .action(async (id: HookClient, options: HooksOptions) =>
        line.exit(await (await import('../hooks/hooks.ts'))[name](line, id, options)),
      );
  addHooksFlags(
    addCommand(hooks, {
      usage: 'status',
      about: 'show which hooks are installed, which policy is in force, and how often each rule acted',
      example: 'hooks status',
    }),
  ).action(async (options: HooksOptions) =>
    line.exit(await (await import('../hooks/hooks.ts')).status(line, options)),
  );
  const hook = addCommand(program, {
    usage: 'hook',
    about: 'answer an event of a client, which is read from standard input; clients run this',
    example: 'hook --client claude-code',
  });
  addHooksFlags(hook)
    .addOption(new Option('--client <client>', 'the client').choices(hookClients).makeOptionMandatory())
    // `main` runs the command without this parser, because a client waits for it.
    .action(() => undefined);
}

function addHooksFlags(command: Command): Command {
  return command.option(
    '--state <dir>',
    'the directory of sessions and keys (default: WORKFLOWLOOKUP_STATE, ~/.workflowlookup/state)',
  );
}

export function addDoctorCommand(program: Command, line: CommandLine): void {
  const doctor = addDefinitionCommand(program, {
    usage: 'doctor',
    about: 'check everything that a server with these options needs, and say how to fix problems',
    example: 'doctor --workflows ./team-workflows',
  });
  addStateFlags(doctor)
    .option('--url <url>', 'check the server that runs at this address instead')
    .option('--key-env <name>', 'the environment variable with its API key')
    .action(async (options: DoctorOptions) => {
      const { doctor: examine } = await import('../server/doctor.ts');
      line.exit(await examine(line, options));
    });
}
