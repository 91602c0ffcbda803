import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { addStateCommand } from '../state/add-state-command.ts';
import type { TrustFlags } from './trust.ts';

/** The command by which a person trusts the definitions of a project. */
export function addTrustCommand(program: Command, line: CommandLine): void {
  addStateCommand(program, {
    usage: 'trust [path]',
    about: 'show the definitions of a project that agents are not served yet, and trust those you agree with',
    example: 'trust workflows/release.yaml',
  })
    .option('--folder', 'trust everything in the folder, now and later, in place of each version')
    .option('--list', 'list what is trusted and what is not')
    .option('--remove', 'no longer trust what is at the path')
    .action(async (path: string | undefined, flags: TrustFlags) => {
      const { trust } = await import('./trust.ts');
      line.exit(await trust(line, path, flags));
    });
}
