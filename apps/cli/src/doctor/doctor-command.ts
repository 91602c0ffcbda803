import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { addDefinitionCommand } from '../definitions/add-definition-command.ts';
import { addStateFlags } from '../state/add-state-command.ts';
import type { DoctorOptions } from './doctor.ts';

/** The command that looks for what stands in the way. */
export function addDoctorCommand(program: Command, line: CommandLine): void {
  const doctor = addDefinitionCommand(program, {
    usage: 'doctor',
    about: 'look for what stands in the way of a server with these flags, and say what would set it right',
    example: 'doctor --workflows ./team-workflows',
  });
  addStateFlags(doctor)
    .option('--url <url>', 'look at a server over HTTP in place of one that is started here')
    .option('--key-env <name>', 'the environment variable that holds the API key for it')
    .action(async (options: DoctorOptions) => {
      const { doctor: examine } = await import('./doctor.ts');
      line.exit(await examine(line, options));
    });
}
