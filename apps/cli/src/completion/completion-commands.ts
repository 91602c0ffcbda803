import type { Command } from 'commander';
import { Argument } from 'commander';
import type { CommandLine } from '../command-line.ts';

/** The command that prints what a shell needs to complete lines, and the hidden one that the shell then asks. */
export function addCompletionCommands(program: Command, line: CommandLine): void {
  program
    .command('completion')
    .description('print the script by which a shell completes commands, options, ids and paths')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', '\nExample:\n  workflowlookup completion zsh\n')
    .action(async (shell: string) => {
      if (shell === 'bash') {
        const { bashScript } = await import('./bash-script.ts');
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
