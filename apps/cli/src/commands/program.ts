import { Argument, Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { addAuthoringCommands, addDefinitionCommands, addTrustCommand } from './authoring.ts';
import { addChecksCommands } from './checks.ts';
import { addGroup } from './options.ts';
import { addClientCommands, addServerCommands } from './server.ts';
import { addRunCommand, addSessionCommands } from './sessions.ts';

export function createProgram(line: CommandLine): Command {
  const program = new Command('workflowlookup')
    .description('A workflow server for AI agents, and tools for its workflows and sessions.')
    .version(line.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    // `start` prints usage errors, as text or JSON.
    .configureOutput({ outputError: () => undefined })
    .addHelpText('after', '\nExample:\n  workflowlookup sessions respond 5d0c yes\n');
  addDefinitionCommands(program, line);
  addRunCommand(program, line);
  addAuthoringCommands(program, line);
  addSessionCommands(program, line);
  addTrustCommand(program, line);
  addChecksCommands(program, line);
  addClientCommands(program, line);
  addServerCommands(program, line);
  addCompletionCommands(program, line);
  return program;
}

/** Adds the command that prints the completion script of a shell, and the hidden command that the script calls. */
function addCompletionCommands(program: Command, line: CommandLine): void {
  addGroup(program, {
    usage: 'completion',
    about: 'print the script that completes commands, options, ids and paths in a shell',
    example: 'completion zsh',
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) => {
      if (shell === 'bash') {
        const { bashScript } = await import('./complete.ts');
        return line.terminal.print(bashScript);
      }
      const { script } = await import('@bomb.sh/tab');
      script(shell, program.name(), program.name());
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: readonly string[]) =>
      (await import('./complete.ts')).complete(program, words, line),
    );
}
