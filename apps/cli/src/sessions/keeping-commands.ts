import type { Command } from 'commander';
import type { SessionOptions } from './add-session-command.ts';
import { addSessionCommand, perform } from './add-session-command.ts';
import type { CommandLine } from '../command-line.ts';
import type { PruneOptions } from './prune.ts';
import type { SealOptions } from './seal.ts';
import type { VerifyOptions } from './verify.ts';
import { readStatus } from '../read-option.ts';

/** The commands that keep, check and drop. */
export function addKeepingCommands(sessions: Command, line: CommandLine): void {
  addSessionCommand(sessions, {
    usage: 'export <session> [file]',
    about: 'write a session as JSON lines, to a new file or to standard output',
    example: 'sessions export 5d0c 5d0c.jsonl',
  }).action((session: string, file: string | undefined, options: SessionOptions) =>
    perform(line, options, async (context) => (await import('./export.ts')).exportTo(context, session, file)),
  );
  addSessionCommand(sessions, {
    usage: 'import <file>',
    about: 'keep a session that was exported; `-` reads standard input; a broken chain is refused',
    example: 'sessions import 5d0c.jsonl',
  }).action((file: string, options: SessionOptions) =>
    perform(line, options, async (context) => (await import('./import.ts')).importFrom(context, file)),
  );
  addSessionCommand(sessions, {
    usage: 'verify [targets...]',
    about: 'check sessions and exported files, and name each problem',
    example: 'sessions verify --all',
  })
    .option('--all', 'every session that is kept')
    .option(
      '--anchor <file>',
      'a file that a server wrote with --anchor: shows which events and sessions were deleted',
    )
    .action((targets: readonly string[], options: SessionOptions & VerifyOptions) =>
      perform(line, options, async (context) =>
        (await import('./verify.ts')).verify(context, targets, options),
      ),
    );
  addSessionCommand(sessions, {
    usage: 'seal [session]',
    about: 'seal a session that has no seal, or renew its seal; a person is asked at a terminal',
    example: 'sessions seal 5d0c',
  })
    .option('--all', 'every session that is kept')
    .option('--lost-key <id>', 'accept what this key sealed, which is no longer in the key ring')
    .action((session: string | undefined, options: SessionOptions & SealOptions) =>
      perform(line, options, async (context) => (await import('./seal.ts')).seal(context, session, options)),
    );
  addSessionCommand(sessions, {
    usage: 'prune',
    about: 'drop old sessions, but none that a running one descends from',
    example: 'sessions prune --before 90d --dry-run',
  })
    .requiredOption('--before <age>', 'last written to before then: 30m, 12h, 7d, 4w or a date')
    .option('--status <status>', 'active, blocked or completed (default); repeatable', readStatus)
    .option('--dry-run', 'only say which')
    .action((options: SessionOptions & PruneOptions) =>
      perform(line, options, async (context) => (await import('./prune.ts')).prune(context, options)),
    );
}
