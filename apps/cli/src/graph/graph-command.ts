import type { Command } from 'commander';
import { Option } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { addDefinitionCommand } from '../definitions/add-definition-command.ts';
import { addStateFlags } from '../state/add-state-command.ts';
import type { GraphFlags } from './graph.ts';

/** The command that draws workflows. */
export function addGraphCommand(program: Command, line: CommandLine): void {
  const command = addDefinitionCommand(program, {
    usage: 'graph [workflow]',
    about: 'draw a workflow as Mermaid or SVG; painted with what a session did of it',
    example: 'graph bug-investigation --format svg --out bug-investigation.svg',
  })
    .addOption(
      new Option(
        '--format <format>',
        'mermaid or svg; by default as the name of --out ends, else mermaid',
      ).choices(['mermaid', 'svg']),
    )
    .option('--steps', 'draw what is inside activities too')
    .option('--session <session>', 'paint what was done, refused and skipped in this session')
    .option('--out <file>', 'write the drawing to a new file, .svg or .mmd')
    .option('--force', 'with --out: overwrite an existing file');
  addStateFlags(command).action(async (workflow: string | undefined, flags: GraphFlags) => {
    const { graph } = await import('./graph.ts');
    line.exit(await graph(line, workflow, flags));
  });
}
