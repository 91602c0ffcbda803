import type { Command } from 'commander';
import { Option } from 'commander';
import type { CommandLine } from './command-line.ts';
import type { SessionsContext } from '../sessions/context.ts';
import type { ActionOf } from './options.ts';
import {
  actions,
  actionsIn,
  addDefinitionCommand,
  addGroup,
  addStateCommand,
  addStateFlags,
  addTo,
  readCount,
  readStatus,
} from './options.ts';

/** Adds the commands on the stored sessions. */
export function addSessionCommands(program: Command, line: CommandLine): void {
  const sessions = addGroup(program, {
    usage: 'sessions',
    about: 'inspect sessions, answer their checkpoints, and manage what is stored',
    example: 'sessions list --status blocked',
  });
  const act = actionsIn(line, async () => (await import('../sessions/context.ts')).withOperator);
  addReadingCommands(sessions, act);
  addDecidingCommands(sessions, line, act);
  addStorageCommands(sessions, act);
  addStateCommand(program, {
    usage: 'insights [workflow]',
    about:
      'show what happened in sessions: outcomes, refusals, departures from the workflow, and how long things took',
    example: 'insights issue-to-merge --newer 30d',
  })
    .option('--newer <age>', 'only sessions changed since: 30m, 12h, 7d, 4w or a date')
    .option('--older <age>', 'only sessions last changed before (same forms)')
    .option('--csv', 'print every figure as a line of CSV')
    .action(act(async () => (await import('../sessions/insights.ts')).insights));
}

type SessionAction = ActionOf<SessionsContext>;

export function addRunCommand(program: Command, line: CommandLine): void {
  const command = addDefinitionCommand(program, {
    usage: 'run [workflow]',
    about: 'work through a workflow yourself, in a session like that of an agent',
    example: 'run bug-investigation --context \'{"mandate": "fix"}\'',
  }).option('--session <session>', 'continue this session, instead of starting one');
  addWorkFlags(addStateFlags(command)).action(
    actions(line)(async () => (await import('../sessions/run/run.ts')).run),
  );
}

function addWorkFlags(command: Command): Command {
  return command
    .option(
      '--context <json>',
      'variables to set at the start: JSON, or @ followed by the name of a JSON file',
    )
    .option('--agent <name>', 'the agent name for the journal (default: your user name)')
    .option(
      '--output <file>',
      'a file with the output of the next step; repeatable for the steps after it',
      addTo,
    );
}

/** Adds the commands that only read. */
function addReadingCommands(sessions: Command, act: SessionAction): void {
  addStateCommand(sessions, {
    usage: 'list',
    about: 'list sessions, the most recently changed first',
    example: 'sessions list --status blocked --newer 7d',
  })
    .option('--status <status>', 'active, blocked, parked or completed; repeatable', readStatus)
    .option('--workflow <id>', 'only sessions of this workflow')
    .option('--agent <id>', 'only sessions started by this agent')
    .option('--project <dir>', 'only sessions started in this folder')
    .option('--text <part>', 'only sessions with this text in id, workflow, agent or folder')
    .option(
      '--search <words>',
      'only sessions with these words in title, variables, checkpoints, agents or folder',
    )
    .option('--newer <age>', 'only sessions changed since: 30m, 12h, 7d, 4w or a date')
    .option('--older <age>', 'only sessions last changed before (same forms)')
    .option('--limit <n>', 'sessions per page', readCount, 20)
    .option('--cursor <cursor>', 'the next page, as printed below each page')
    .action(act(async () => (await import('../sessions/list.ts')).list));
  addStateCommand(sessions, {
    usage: 'show <session>',
    about: 'show the history of a session: plan and progress, refusals, checkpoints and participants',
    example: 'sessions show 5d0c',
  }).action(act(async () => (await import('../sessions/show.ts')).show));
  addStateCommand(sessions, {
    usage: 'follow <session>',
    about: 'print the events of a session as they happen, until it is completed; stop with Ctrl-C',
    example: 'sessions follow 5d0c',
  })
    .addOption(new Option('--every <ms>', 'how often to look').default(500).argParser(readCount).hideHelp())
    .action(act(async () => (await import('../sessions/show.ts')).follow));
}

function addDecidingCommands(sessions: Command, line: CommandLine, act: SessionAction): void {
  addStateCommand(sessions, {
    usage: 'respond <session> [option]',
    about: 'answer the checkpoint that a session is waiting at; at a terminal, shows it and asks',
    example: "sessions respond 5d0c yes --note 'Seen on staging'",
  })
    .option('--option <id>', 'the answer, instead of the argument')
    .option('--note <text>', 'a note for the agent, stored with the answer; some options require one')
    .option('--yes', "confirm an option that can't be undone")
    .addOption(
      new Option(
        '--gates <who>',
        'declared (as the workflow and its server say) or human (a person must answer each one at a terminal)',
      )
        .choices(['declared', 'human'])
        .default('declared'),
    )
    .action(act(async () => (await import('../sessions/respond.ts')).respond));
  const resume = addStateCommand(sessions, {
    usage: 'resume <session>',
    about: 'resume a session at the terminal, or print what an agent needs to take it over',
    example: 'sessions resume 5d0c',
  })
    .option('--print', 'print what an agent needs to take it over, and change nothing')
    .option('--unpark', 'only end the parking, so that the session counts as open again');
  addWorkFlags(resume).action(actions(line)(async () => (await import('../sessions/run/run.ts')).resume));
  addStateCommand(sessions, {
    usage: 'park <session>',
    about: 'set a session aside; it keeps everything, and the next call of an agent resumes it',
    example: "sessions park 5d0c --reason 'Waits for the vendor' --until 2030-01-31T09:00:00Z",
  })
    .requiredOption('--reason <text>', 'why the work stops, and what it waits for')
    .option('--until <time>', 'when agents see it as open again: a time in ISO 8601 with a time zone')
    .action(act(async () => (await import('../sessions/respond.ts')).park));
  addStateCommand(sessions, {
    usage: 'abandon <session>',
    about: 'end a session at its current point; asks first at a terminal',
    example: 'sessions abandon 5d0c --yes',
  })
    .option('--yes', 'do not ask for confirmation')
    .action(act(async () => (await import('../sessions/respond.ts')).abandon));
}

/** Adds the commands that export, import, verify, seal and prune. */
function addStorageCommands(sessions: Command, act: SessionAction): void {
  addStateCommand(sessions, {
    usage: 'export <session> [file]',
    about: 'export a session as JSON lines, to a new file or standard output',
    example: 'sessions export 5d0c 5d0c.jsonl',
  })
    .option('--statement', 'sign a statement of the session instead: its decisions and its evidence')
    .option('--key <file>', 'the file with the private key for the statement (Ed25519, PEM)')
    .action(act(async () => (await import('../sessions/archive.ts')).exportTo));
  addStateCommand(sessions, {
    usage: 'import <file>',
    about: 'import an exported session; `-` reads standard input; a broken chain is refused',
    example: 'sessions import 5d0c.jsonl',
  }).action(act(async () => (await import('../sessions/archive.ts')).importFrom));
  addStateCommand(sessions, {
    usage: 'verify [targets...]',
    about: 'verify sessions and exported files, and list their problems',
    example: 'sessions verify --all',
  })
    .option('--all', 'all stored sessions')
    .option(
      '--anchor <file>',
      'a file that a server wrote with --anchor; it reveals deleted events and sessions',
    )
    .option('--statement <file>', 'a signed statement of a session; targets are compared with it')
    .option(
      '--trusted-key <name=file>',
      'a public key that may have signed the statement; repeatable (default: WORKFLOWLOOKUP_TRUSTED_KEYS)',
      addTo,
    )
    .option('--session <id>', 'the session that the statement must be about')
    .option('--commit <sha>', 'the commit that the statement must be about')
    .option('--unfinished', 'accept a statement of a session that was not completed')
    .action(act(async () => (await import('../sessions/verify.ts')).verify));
  addStateCommand(sessions, {
    usage: 'seal [session]',
    about: 'seal a session that has no seal, or renew its seal; asks a person at a terminal',
    example: 'sessions seal 5d0c',
  })
    .option('--all', 'all stored sessions')
    .option('--lost-key <id>', 'accept seals of this key, which is no longer available')
    .action(act(async () => (await import('../sessions/verify.ts')).seal));
  addStateCommand(sessions, {
    usage: 'prune',
    about: 'delete old sessions without asking; those with unfinished child sessions stay',
    example: 'sessions prune --before 90d --dry-run',
  })
    .requiredOption('--before <age>', 'only sessions last changed before: 30m, 12h, 7d, 4w or a date')
    .option('--status <status>', 'active, blocked, parked or completed (default); repeatable', readStatus)
    .option('--dry-run', 'only list the sessions')
    .action(act(async () => (await import('../sessions/archive.ts')).prune));
}
