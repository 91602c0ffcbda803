import type { Command } from 'commander';
import { Option } from 'commander';
import type { SessionOptions } from './add-session-command.ts';
import { addSessionCommand, perform } from './add-session-command.ts';
import type { CommandLine } from '../command-line.ts';
import type { FollowOptions } from './follow.ts';
import type { ListOptions } from './list.ts';
import { readCount, readStatus } from '../read-option.ts';

/** The commands that look and change nothing. */
export function addLookingCommands(sessions: Command, line: CommandLine): void {
  addListCommand(sessions, line);
  addSessionCommand(sessions, {
    usage: 'show <session>',
    about: 'tell what became of a session: planned against actual, refusals, checkpoints, who did what',
    example: 'sessions show 5d0c',
  }).action((session: string, options: SessionOptions) =>
    perform(line, options, async (context) => (await import('./show.ts')).show(context, session)),
  );
  addSessionCommand(sessions, {
    usage: 'follow <session>',
    about: 'print what happens in a session as it happens, until it is completed; Ctrl-C ends it',
    example: 'sessions follow 5d0c',
  })
    .addOption(new Option('--every <ms>', 'how often to look').default(500).argParser(readCount).hideHelp())
    .action((session: string, options: SessionOptions & FollowOptions) =>
      perform(line, options, async (context) =>
        (await import('./follow.ts')).follow(context, session, options),
      ),
    );
}

function addListCommand(sessions: Command, line: CommandLine): void {
  addSessionCommand(sessions, {
    usage: 'list',
    about: 'list sessions, the one last written to first',
    example: 'sessions list --status blocked --newer 7d',
  })
    .option('--status <status>', 'active, blocked or completed; repeatable', readStatus)
    .option('--workflow <id>', 'of this workflow')
    .option('--agent <id>', 'started by this agent')
    .option('--project <dir>', 'started in this folder')
    .option('--text <part>', 'with this in id, workflow, agent or folder')
    .option('--newer <age>', 'last written to since then: 30m, 12h, 7d, 4w or a date')
    .option('--older <age>', 'last written to before then')
    .option('--limit <n>', 'how many on a page', readCount, 20)
    .option('--cursor <cursor>', 'the page that follows; each page names it')
    .action((options: SessionOptions & ListOptions) =>
      perform(line, options, async (context) => (await import('./list.ts')).list(context, options)),
    );
}
