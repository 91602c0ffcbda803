import type { Host } from '@workflowlookup/host';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { CommandLine, ExitCode } from '../command-line.ts';
import type { TrustFlags } from '../definitions/trust.ts';
import type { GraphFlags } from '../graph/graph.ts';
import { createOutput } from '../terminal/terminal.ts';
import type { SourceFlags } from './options.ts';
import { addDefinitionCommand, addStateCommand, addStateFlags } from './options.ts';

/** Adds the commands that show the workflows a server would serve. */
export function addDefinitionCommands(program: Command, line: CommandLine): void {
  addDefinitionCommand(program, {
    usage: 'list',
    about: 'list the workflows that a server would serve, with their sources',
    example: 'list --workflows ./team-workflows',
  }).action(async (flags: SourceFlags) => {
    const { list } = await import('../definitions/list.ts');
    line.exit(await list(line, flags));
  });
  addDefinitionCommand(program, {
    usage: 'show <id>',
    about: 'show the outline of a workflow: its steps, conditions, loops and checkpoints',
    example: 'show issue-to-merge',
  }).action(async (id: string, flags: SourceFlags) => {
    const [{ show }, { withDefinitions }] = await Promise.all([
      import('../definitions/show.ts'),
      import('../open-host.ts'),
    ]);
    const work = (host: Host): Promise<ExitCode> => show(host, outputOf(line, flags), id);
    line.exit(await withDefinitions(line, flags, work, { shows: id }));
  });
  addDefinitionCommand(program, {
    usage: 'sources',
    about: 'show where definitions come from: each directory, its workflows, overridden files and problems',
    example: 'sources',
  }).action(async (flags: SourceFlags) => {
    const [{ sources }, { withDefinitions }] = await Promise.all([
      import('../definitions/sources.ts'),
      import('../open-host.ts'),
    ]);
    line.exit(await withDefinitions(line, flags, (host) => sources(host, outputOf(line, flags))));
  });
}

function outputOf({ terminal }: CommandLine, { json = false }: SourceFlags): ReturnType<typeof createOutput> {
  return createOutput(terminal, json);
}

export function addGraphCommand(program: Command, line: CommandLine): void {
  const command = addDefinitionCommand(program, {
    usage: 'graph [workflow]',
    about: 'draw a workflow as Mermaid or SVG; with --session, show the progress of a session',
    example: 'graph bug-investigation --format svg --out bug-investigation.svg',
  })
    .addOption(
      new Option(
        '--format <format>',
        'mermaid or svg; by default from the extension of --out, otherwise mermaid',
      ).choices(['mermaid', 'svg']),
    )
    .option('--steps', 'also draw the steps inside activities')
    .option('--session <session>', 'mark what this session completed, skipped or had refused')
    .option('--out <file>', 'write the drawing to a new file, .svg or .mmd')
    .option('--force', 'with --out: overwrite an existing file');
  addStateFlags(command).action(async (workflow: string | undefined, flags: GraphFlags) => {
    const { graph } = await import('../graph/graph.ts');
    line.exit(await graph(line, workflow, flags));
  });
}

/** Adds the command with which a person trusts the definitions of a project. */
export function addTrustCommand(program: Command, line: CommandLine): void {
  addStateCommand(program, {
    usage: 'trust [path]',
    about:
      "decide which of a project's definitions agents may use: review the new ones, and trust those you agree with",
    example: 'trust workflows/release.yaml',
  })
    .option(
      '--folder',
      'trust everything in a folder, now and after later changes, instead of single versions',
    )
    .option('--list', 'list the definitions that are trusted and those that are not')
    .option('--remove', 'no longer trust the definitions at the path')
    .action(async (path: string | undefined, flags: TrustFlags) => {
      const { trust } = await import('../definitions/trust.ts');
      line.exit(await trust(line, path, flags));
    });
}
