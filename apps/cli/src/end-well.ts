import type { CommanderError } from 'commander';
import type { Environment } from './command-line.ts';
import { endWithReader } from './end-with-reader.ts';
import type { ExitCode } from './exit-codes.ts';
import { exitCodes } from './exit-codes.ts';
import { jsonText, plainLine } from './plain-text.ts';
import { processTerminal } from './process-terminal.ts';
import type { Terminal } from './terminal.ts';

/** What was asked for, and where. */
export interface Asked {
  readonly args: readonly string[];
  readonly env: Environment;
}

/** Does the work of a command line; says what went wrong, and sets the exit code of the process. */
export async function endWell(
  { args, env }: Asked,
  work: (terminal: Terminal) => Promise<unknown>,
): Promise<void> {
  const asJson = args.includes('--json');
  endWithReader(process.stdout, asJson);
  const terminal = processTerminal(env);
  try {
    await work(terminal);
  } catch (error) {
    process.exitCode = await fail(error, terminal, asJson);
  }
}

async function fail(error: unknown, terminal: Terminal, asJson: boolean): Promise<ExitCode> {
  if (isMisuse(error)) {
    // What was asked for, or help in its place, is printed already.
    if (error.exitCode === 0) return exitCodes.ok;
    if (error.code !== 'commander.help') await terminal.warn(`${misuse(error, asJson)}\n`);
    return exitCodes.usage;
  }
  const { exitCodeOf } = await import('./exit-code-of.ts');
  await terminal.warn(`${report(error, asJson)}\n`);
  return exitCodeOf(error);
}

/** Told by its code: the class comes with the parser, which not every command line loads. */
function isMisuse(error: unknown): error is CommanderError {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');
}

function misuse({ message }: CommanderError, asJson: boolean): string {
  return asJson ? asJsonText('USAGE', message.replace(/^error: /, '')) : message;
}

function report(error: unknown, asJson: boolean): string {
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  const name = typeof code === 'string' ? code : 'INTERNAL';
  const line = plainLine(name === 'UNTRUSTED' ? untrustedText(data) : String(message));
  return asJson ? asJsonText(name, line) : `workflowlookup: ${line} (${name})`;
}

/** The engine words this for an agent, which has to ask its user; here the reader may be that user. */
function untrustedText(data: unknown): string {
  const { workflowId, command } = data as Readonly<Record<'command' | 'workflowId', string>>;
  return `Workflow '${workflowId}' is a file of this project that no person has trusted, so it is shown only at a terminal. Look at it there, and decide: ${command}`;
}

function asJsonText(code: string, message: string): string {
  return jsonText({ error: { code, message } });
}
