import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import type { CommandLine } from './command-line.ts';
import { clientIds } from '../connect/clients.ts';
import { hookClients } from '../hooks/hook/events.ts';
import {
  actions,
  actionsIn,
  addCommand,
  addDefinitionCommand,
  addDirectoryFlag,
  addGroup,
  addStateCommand,
  addStateFlags,
} from './options.ts';

/** Adds the commands that configure clients and install hooks in them, and the one that clients run. */
export function addClientCommands(program: Command, line: CommandLine): void {
  const act = actions(line);
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
    .action(act(async () => (await import('../connect/connect.ts')).connect));
  const hooks = addGroup(program, {
    usage: 'hooks',
    about: "install hooks in an agent's client, which keep the agent in its session",
    example: 'hooks install claude-code',
  });
  for (const [name, about] of [
    ['install', 'add the hooks to the file of a client, after showing the change'],
    ['remove', 'remove the hooks from the file of a client, after showing the change'],
  ] as const)
    addDirectoryFlag(
      addCommand(hooks, { usage: name, about, example: `hooks ${name} claude-code --user` }).addArgument(
        new Argument('<client>', 'the client').choices(hookClients),
      ),
    )
      .option('--project', 'the file of the project (default)')
      .option('--user', 'the file of the user, for all projects')
      .option('--yes', 'do not ask')
      .action(act(async () => (await import('../hooks/hooks.ts'))[name]));
  const status = addCommand(hooks, {
    usage: 'status',
    about: 'show which hooks are installed, which policy is in force, and how often each rule acted',
    example: 'hooks status',
  });
  addDirectoryFlag(status).action(act(async () => (await import('../hooks/hooks.ts')).status));
  const hook = addCommand(program, {
    usage: 'hook',
    about: 'answer an event of a client, which is read from standard input; clients run this',
    example: 'hook --client claude-code',
  });
  addDirectoryFlag(hook)
    .addOption(new Option('--client <client>', 'the client').choices(hookClients).makeOptionMandatory())
    // `main` runs the command without this parser, because a client waits for it.
    .action(() => undefined);
}

/** Adds the commands that check and start servers, and manage their keys. */
export function addServerCommands(program: Command, line: CommandLine): void {
  const act = actions(line);
  const doctor = addDefinitionCommand(program, {
    usage: 'doctor',
    about: 'check everything that a server with these options needs, and say how to fix problems',
    example: 'doctor --workflows ./team-workflows',
  });
  addStateFlags(doctor)
    .option('--url <url>', 'check the server that runs at this address instead')
    .option('--key-env <name>', 'the environment variable with its API key')
    .action(act(async () => (await import('../server/doctor.ts')).doctor));
  addStateCommand(program, {
    usage: 'address',
    about:
      'print the addresses of a server on this machine: the one for agents, and a new one that signs you in',
    example: 'address --port 8420',
  })
    .option('--port <n>', 'the port of the server', '8420')
    .action(act(async () => (await import('../server/keys.ts')).printAddresses));
  const actOnKeys = actionsIn(line, async () => (await import('../server/keys.ts')).withKeys);
  const keys = addGroup(program, {
    usage: 'keys',
    about: 'manage the API keys of an HTTP server',
    example: 'keys create --principal team-a --scope read,write',
  });
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
    .action(actOnKeys(async () => (await import('../server/keys.ts')).create));
  addStateCommand(keys, {
    usage: 'list',
    about: 'list the API keys, oldest first, without their secrets',
    example: 'keys list',
  }).action(actOnKeys(async () => (await import('../server/keys.ts')).list));
  addStateCommand(keys, {
    usage: 'revoke <key>',
    about: 'revoke an API key on every server that uses this state directory or database',
    example: 'keys revoke 1f4c9a20b7e3',
  }).action(actOnKeys(async () => (await import('../server/keys.ts')).revoke));
  addStateCommand(keys, {
    usage: 'seal <key>',
    about: 'accept an API key that no server has signed; asks at a terminal',
    example: 'keys seal 1f4c9a20b7e3',
  }).action(actOnKeys(async () => (await import('../server/keys.ts')).seal));
  // Each passes its options to the server's own program, which loads only then.
  const serve = addGroup(program, {
    usage: 'serve',
    about: 'start a server',
    example: 'serve stdio --workflows ./team-workflows',
  });
  addServer(serve, 'stdio', 'serve one agent on standard input and output').action(
    async (args: readonly string[]) =>
      (await import('@workflowlookup/stdio/run')).run({ args, env: line.env }),
  );
  addServer(serve, 'http', 'serve many agents over Streamable HTTP').action(async (args: readonly string[]) =>
    (await import('@workflowlookup/http/run')).run({ args, env: line.env }),
  );
}

function readScopes(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',')];
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
