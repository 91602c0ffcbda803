import type { Command } from 'commander';
import type { CommonOptions } from './add-command.ts';
import { addCommand, perform } from './add-command.ts';
import type { CommandLine } from './command-line.ts';
import type { PruneOptions } from './commands/prune.ts';
import type { VerifyOptions } from './commands/verify.ts';
import { readStatus } from './read-option.ts';

/** The commands that keep, check and drop. */
export function addKeepingCommands(sessions: Command, line: CommandLine): void {
  addCommand(sessions, {
    usage: 'export <session> [file]',
    about: 'write a session as JSON lines, to a new file or to standard output',
    example: 'sessions export 5d0c 5d0c.jsonl',
  }).action((session: string, file: string | undefined, options: CommonOptions) =>
    perform(line, options, async (context) =>
      (await import('./commands/export.ts')).exportTo(context, session, file),
    ),
  );
  addCommand(sessions, {
    usage: 'import <file>',
    about: 'keep a session that was exported; `-` reads standard input; a broken chain is refused',
    example: 'sessions import 5d0c.jsonl',
  }).action((file: string, options: CommonOptions) =>
    perform(line, options, async (context) =>
      (await import('./commands/import.ts')).importFrom(context, file),
    ),
  );
  addCommand(sessions, {
    usage: 'verify [targets...]',
    about: 'check the hash chain of sessions and exported files, and name the first broken link of each',
    example: 'sessions verify --all',
  })
    .option('--all', 'every session that is kept')
    .action((targets: readonly string[], options: CommonOptions & VerifyOptions) =>
      perform(line, options, async (context) =>
        (await import('./commands/verify.ts')).verify(context, targets, options),
      ),
    );
  addCommand(sessions, {
    usage: 'prune',
    about: 'drop old sessions, but none that a running one descends from',
    example: 'sessions prune --before 90d --dry-run',
  })
    .requiredOption('--before <age>', 'last written to before then: 30m, 12h, 7d, 4w or a date')
    .option('--status <status>', 'active, blocked or completed (default); repeatable', readStatus)
    .option('--dry-run', 'only say which')
    .action((options: CommonOptions & PruneOptions) =>
      perform(line, options, async (context) =>
        (await import('./commands/prune.ts')).prune(context, options),
      ),
    );
}
