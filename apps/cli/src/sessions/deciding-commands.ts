import type { Command } from 'commander';
import { Option } from 'commander';
import type { SessionOptions } from './add-session-command.ts';
import { addSessionCommand, perform } from './add-session-command.ts';
import type { CommandLine } from '../command-line.ts';
import type { AbandonOptions } from './abandon.ts';
import type { RespondOptions } from './respond.ts';

/** The commands by which a person decides. */
export function addDecidingCommands(sessions: Command, line: CommandLine): void {
  addSessionCommand(sessions, {
    usage: 'respond <session> [option]',
    about: 'answer the checkpoint a session waits at; at a terminal it is shown, and asked',
    example: "sessions respond 5d0c yes --note 'Seen on staging'",
  })
    .option('--option <id>', 'the answer, as the argument')
    .option('--note <text>', 'kept with the answer')
    .addOption(
      new Option(
        '--gates <who>',
        'declared (as the workflow and its server say) or human (each at a terminal)',
      )
        .choices(['declared', 'human'])
        .default('declared'),
    )
    .action((session: string, option: string | undefined, options: SessionOptions & RespondOptions) =>
      perform(line, options, async (context) =>
        (await import('./respond.ts')).respond(context, session, {
          ...options,
          ...(option === undefined ? {} : { chosen: option }),
        }),
      ),
    );
  addSessionCommand(sessions, {
    usage: 'abandon <session>',
    about: 'end a session where it stands; at a terminal it asks first',
    example: 'sessions abandon 5d0c --yes',
  })
    .option('--yes', 'do not ask')
    .action((session: string, options: SessionOptions & AbandonOptions) =>
      perform(line, options, async (context) =>
        (await import('./abandon.ts')).abandon(context, session, options),
      ),
    );
}
