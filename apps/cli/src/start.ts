import type { CommanderError } from 'commander';
import type { CommandLine, Environment, ExitCode } from './commands/command-line.ts';
import { exitCodes } from './commands/command-line.ts';
import { jsonText } from './terminal/plain-text.ts';
import { exitWhenUnwritable, processTerminal } from './terminal/terminal.ts';
import type { Terminal } from './terminal/terminal.ts';

/** A command line, and the version of the program that runs it. */
interface Start {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly version: string;
}

/** Runs a command line, prints any error, and sets the exit code of the process. */
export async function start({ args, env, version }: Start): Promise<void> {
  const asJson = args.includes('--json');
  exitWhenUnwritable(process.stdout, asJson);
  const terminal = processTerminal(env);
  try {
    const { createProgram } = await import('./commands/program.ts');
    const line: CommandLine = { terminal, env, version, exit: (code) => (process.exitCode = code) };
    await createProgram(line).parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = await reportError(error, terminal, asJson);
  }
}

async function reportError(error: unknown, terminal: Terminal, asJson: boolean): Promise<ExitCode> {
  if (isMisuse(error)) {
    // Commander has already printed what was asked for, or the help instead.
    if (error.exitCode === 0) return exitCodes.ok;
    if (error.code !== 'commander.help') await terminal.warn(`${misuse(error, asJson)}\n`);
    return exitCodes.usage;
  }
  const { exitCodeOf, failureText } = await import('./commands/failure.ts');
  await terminal.warn(`${failureText(error, asJson)}\n`);
  return exitCodeOf(error);
}

/** Recognizes a usage error by its code, because not every command line loads the parser with its error class. */
function isMisuse(error: unknown): error is CommanderError {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');
}

function misuse({ message }: CommanderError, asJson: boolean): string {
  return asJson ? jsonText({ error: { code: 'USAGE', message: message.replace(/^error: /, '') } }) : message;
}
