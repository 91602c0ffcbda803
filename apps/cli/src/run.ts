import { CommanderError } from 'commander';
import type { Environment } from './command-line.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { processTerminal } from './process-terminal.ts';
import { plainLine } from './plain-text.ts';

/** Does what the command line asks for; sets the exit code of the process. */
export async function run({
  args,
  env,
  version,
}: {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly version: string;
}): Promise<void> {
  endWithReader();
  const terminal = processTerminal(env);
  try {
    await createProgram({ terminal, env, version, exit: (code) => (process.exitCode = code) }).parseAsync(
      args,
      {
        from: 'user',
      },
    );
  } catch (error) {
    // The parser has said what is wrong, or printed the help that was asked for.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
      return;
    }
    const { exitCodeOf } = await import('./exit-code-of.ts');
    await terminal.warn(`${report(error, args.includes('--json'))}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

/** Whoever reads the output may stop reading: that ends the process, and is no error. */
function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit();
    });
  }
}

function report(error: unknown, asJson: boolean): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const told = { code: typeof code === 'string' ? code : 'INTERNAL', message: plainLine(String(message)) };
  return asJson ? JSON.stringify({ error: told }) : `workflowlookup: ${told.message} (${told.code})`;
}
