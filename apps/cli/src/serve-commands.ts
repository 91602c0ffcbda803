import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';

/** The commands that start a server. Each takes what its own program takes, and is loaded when it is started. */
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
    .argument('[options...]', `as workflowlookup-${name} takes them; --help lists them`)
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions();
}
