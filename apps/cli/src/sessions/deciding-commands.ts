import type { Command } from 'commander';
import { Option } from 'commander';
import type { SessionOptions } from './add-session-command.ts';
import { addSessionCommand, perform } from './add-session-command.ts';
import type { CommandLine } from '../command-line.ts';
import type { AbandonOptions } from './abandon.ts';
import type { RespondOptions } from './respond.ts';
import type { RunFlags } from '../walk/run.ts';
import { addWorkFlags } from '../walk/run-command.ts';

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
  const resume = addSessionCommand(sessions, {
    usage: 'resume <session>',
    about: 'go on with a session at the terminal, or print what an agent needs to take it over',
    example: 'sessions resume 5d0c',
  }).option('--print', 'print what an agent needs to take it over, and change nothing');
  addWorkFlags(resume).action(async (session: string, options: RunFlags & { readonly print?: boolean }) => {
    if (options.print === true) {
      return perform(line, options, async (context) =>
        (await import('../walk/hand-over.ts')).handOver(context, session),
      );
    }
    const { run } = await import('../walk/run.ts');
    line.exit(await run(line, { session }, options));
  });
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
