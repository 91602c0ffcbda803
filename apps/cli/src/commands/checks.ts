import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { actions, addCommand, addGroup, addStateCommand } from './options.ts';

/** Adds the commands for the checks of a project, and those that prove work to a server that can't see the files. */
export function addChecksCommands(program: Command, line: CommandLine): void {
  const act = actions(line);
  const checks = addGroup(program, {
    usage: 'checks',
    about: 'manage the checks of a project: commands that prove that a step was done',
    example: 'checks init',
  });
  addCommand(checks, {
    usage: 'init',
    about: 'propose checks from what the project has, and write them to .workflowlookup/checks.yaml',
    example: 'checks init',
  }).action(act(async () => (await import('../checks/checks.ts')).initChecks));
  addStateCommand(checks, {
    usage: 'list',
    about: 'list the checks of the project, and whether a person has trusted them',
    example: 'checks list',
  }).action(act(async () => (await import('../checks/checks.ts')).listChecks));
  addStateCommand(checks, {
    usage: 'run <name>',
    about: 'run a check now, as a server would, and show the result',
    example: 'checks run test',
  })
    .option('--accept', 'if it passes, accept that it runs fewer tests than before; only at a terminal')
    .action(act(async () => (await import('../checks/checks.ts')).runOne));
  addStateCommand(checks, {
    usage: 'trust',
    about: 'show the checks of the project and what has changed, and allow a server to run them',
    example: 'checks trust',
  }).action(act(async () => (await import('../checks/checks.ts')).trustChecks));
  addStateCommand(program, {
    usage: 'verify',
    about:
      "collect the evidence that a session asks for, and report it to a server that can't see your files",
    example: 'verify --server https://workflows.example.com --session 3568e90d9512efea6050',
  })
    .requiredOption('--server <url>', 'the address of the server; WORKFLOWLOOKUP_API_KEY is your key for it')
    .requiredOption('--session <id>', 'the whole id of the session')
    .action(act(async () => (await import('../checks/verify.ts')).verifySessionWork));
  addCommand(program, {
    usage: 'attest',
    about: 'run a check in CI, and sign a statement about the result for the commit that is checked out',
    example: 'attest --check test --key ci.key --out statement.json',
  })
    .requiredOption('--check <name>', 'the check')
    .option('--key <file>', 'the file with the private key (Ed25519, PEM)')
    .option('--unsigned', 'print the statement without a signature, for a CI job that has no key')
    .option('--from <file>', 'sign this unsigned statement instead of running the check')
    .option('--session <id>', 'the session that the statement is for (default: all sessions)')
    .option('--url <url>', 'where a person finds the run')
    .option('--out <file>', 'write the statement to this file, instead of standard output')
    .option(
      '--server <url>',
      'also submit the statement to this server; WORKFLOWLOOKUP_API_KEY is your key for it',
    )
    .action(act(async () => (await import('../checks/verify.ts')).attest));
}
