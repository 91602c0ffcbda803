import type { Command } from 'commander';
import type { Host } from '@workflowlookup/host';
import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import type { SourceFlags } from './add-definition-command.ts';
import { addDefinitionCommand } from './add-definition-command.ts';

/** The commands that look at the workflows a server would serve. */
export function definitionCommands(program: Command, line: CommandLine): void {
  addDefinitionCommand(program, {
    usage: 'list',
    about: 'list the workflows that are served, and the source of each',
    example: 'list --workflows ./team-workflows',
  }).action(async (flags: SourceFlags) => {
    const { list } = await import('./list.ts');
    line.exit(await list(line, flags));
  });
  addDefinitionCommand(program, {
    usage: 'show <id>',
    about: 'show a workflow as an outline: its steps with their conditions, loops and gates',
    example: 'show issue-to-merge',
  }).action(async (id: string, flags: SourceFlags) => {
    const [{ show }, { withHost }] = await Promise.all([import('./show.ts'), import('./with-host.ts')]);
    const work = (host: Host): Promise<ExitCode> => show(host, outputOf(line, flags), id);
    line.exit(await withHost(line, flags, work, { shows: id }));
  });
  addDefinitionCommand(program, {
    usage: 'sources',
    about:
      'say where definitions come from: each directory, what it has, which file won an id, what is wrong',
    example: 'sources',
  }).action(async (flags: SourceFlags) => {
    const [{ sources }, { withHost }] = await Promise.all([import('./sources.ts'), import('./with-host.ts')]);
    line.exit(await withHost(line, flags, (host) => sources(host, outputOf(line, flags))));
  });
}

function outputOf({ terminal }: CommandLine, { json = false }: SourceFlags): ReturnType<typeof createOutput> {
  return createOutput(terminal, json);
}
