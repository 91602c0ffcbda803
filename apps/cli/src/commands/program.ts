import { Argument, Command, CommanderError } from 'commander';
import type { CommandLine, Environment, ExitCode } from './command-line.ts';
import { exitCodes } from './command-line.ts';
import { addAuthoringCommands, addDefinitionCommands, addTrustCommand } from './authoring.ts';
import { addChecksCommands } from './checks.ts';
import { addGroup } from './options.ts';
import { addClientCommands, addServerCommands } from './server.ts';
import { addRunCommand, addSessionCommands } from './sessions.ts';
import { terminalMessages } from '../messages/common.ts';
import { jsonText, plainLine } from '../terminal/plain-text.ts';
import { exitWhenUnwritable, processTerminal } from '../terminal/terminal.ts';

/** The arguments of a command line, and the version of the program that runs it. */
interface Start {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly version: string;
}

/** Runs a command line, prints any error, and sets the exit code of the process. */
export async function runProgram({ args, env, version }: Start): Promise<void> {
  const asJson = args.includes('--json');
  exitWhenUnwritable(process.stdout, asJson);
  const terminal = processTerminal(env);
  try {
    const line: CommandLine = { terminal, env, version, exit: (code) => (process.exitCode = code) };
    await createProgram(line).parseAsync(args, { from: 'user' });
  } catch (error) {
    const { code, text } = outcomeOf(error, asJson);
    if (text !== undefined) await terminal.warn(`${text}\n`);
    process.exitCode = code;
  }
}

export function createProgram(line: CommandLine): Command {
  const program = new Command('workflowlookup')
    .description('A workflow server for AI agents, and tools for its workflows and sessions.')
    .version(line.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    // `runProgram` prints usage errors, as text or JSON.
    .configureOutput({ outputError: () => undefined })
    .addHelpText('after', '\nExample:\n  workflowlookup sessions respond 5d0c yes\n');
  addDefinitionCommands(program, line);
  addRunCommand(program, line);
  addAuthoringCommands(program, line);
  addSessionCommands(program, line);
  addTrustCommand(program, line);
  addChecksCommands(program, line);
  addClientCommands(program, line);
  addServerCommands(program, line);
  addCompletionCommands(program, line);
  return program;
}

/** Adds the command that prints the completion script of a shell, and the hidden command that the script calls. */
function addCompletionCommands(program: Command, line: CommandLine): void {
  addGroup(program, {
    usage: 'completion',
    about: 'print the script that completes commands, options, ids and paths in a shell',
    example: 'completion zsh',
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: string) => {
      if (shell === 'bash') {
        const { bashScript } = await import('./complete.ts');
        return line.terminal.print(bashScript);
      }
      const { script } = await import('@bomb.sh/tab');
      script(shell, program.name(), program.name());
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: readonly string[]) =>
      (await import('./complete.ts')).complete(program, words, line),
    );
}

/** Codes of errors about stored data, not about how the command was called. */
const findings: ReadonlySet<unknown> = new Set([
  'INVALID_CRITERIA',
  'INVALID_FILE',
  'INVALID_STATE',
  'SESSION_COMPLETED',
  'SESSION_CONFLICT',
  'SESSION_UNVERIFIED',
  'STORE_DAMAGED',
]);

/** Returns the exit code for an error, and what to print about it: a line for people, or JSON. */
function outcomeOf(error: unknown, asJson: boolean): { readonly code: ExitCode; readonly text?: string } {
  if (error instanceof CommanderError) {
    // Commander has already printed what was asked for, or the help instead.
    if (error.exitCode === 0) return { code: exitCodes.ok };
    return {
      code: exitCodes.usage,
      ...(error.code !== 'commander.help' && { text: misuseText(error, asJson) }),
    };
  }
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  const name = typeof code === 'string' ? code : 'INTERNAL';
  const line = plainLine(name === 'UNTRUSTED' ? untrustedText(data) : String(message));
  return {
    code: findings.has(code) ? exitCodes.findings : exitCodes.usage,
    text: asJson ? jsonText({ error: { code: name, message: line } }) : `workflowlookup: ${line} (${name})`,
  };
}

function misuseText({ message }: CommanderError, asJson: boolean): string {
  return asJson ? jsonText({ error: { code: 'USAGE', message: message.replace(/^error: /, '') } }) : message;
}

/** Rewords the error of the engine, whose text tells an agent to ask its user. The reader here may be that user. */
function untrustedText(data: unknown): string {
  const { workflowId, command } = data as Readonly<Record<'command' | 'workflowId', string>>;
  return terminalMessages.untrustedWorkflow(workflowId, command);
}
