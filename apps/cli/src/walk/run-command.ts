import type { Command } from 'commander';
import { addDefinitionCommand } from '../definitions/add-definition-command.ts';
import type { CommandLine } from '../command-line.ts';
import { addStateFlags } from '../state/add-state-command.ts';
import type { RunFlags } from './run.ts';

/** The command by which a person goes through a workflow. */
export function addRunCommand(program: Command, line: CommandLine): void {
  const command = addDefinitionCommand(program, {
    usage: 'run [workflow]',
    about: 'go through a workflow at the terminal, in a session like that of an agent',
    example: 'run bug-investigation --context \'{"mandate": "fix"}\'',
  }).option('--session <session>', 'go on with this session');
  addWorkFlags(addStateFlags(command)).action(async (workflow: string | undefined, flags: RunFlags) => {
    const { run } = await import('./run.ts');
    const { subjectOf } = await import('./subject-of.ts');
    line.exit(await run(line, subjectOf(workflow, flags), flags));
  });
}

/** What every command takes by which a person does the work of a session. */
export function addWorkFlags(command: Command): Command {
  return command
    .option('--context <json>', 'variables to set with the first move: JSON, or @ and a file')
    .option('--agent <name>', 'who goes through it, in the journal (default: your user name)')
    .option('--output <file>', 'the output of the next step; repeatable, for the steps after it', addTo);
}

function addTo(file: string, before: readonly string[] = []): readonly string[] {
  return [...before, file];
}
