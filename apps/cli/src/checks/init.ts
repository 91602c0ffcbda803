import { join } from 'node:path';
import { checksFile, checksText, commandText, proposeChecks } from '@workflowlookup/evidence';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { CommonOptions } from '../commands/options.ts';
import { textOf, writeNewFiles } from '../files.ts';
import { messages } from '../messages.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { createOutput } from '../terminal/terminal.ts';

/** Writes a file with proposed checks. */
export async function initChecks(line: CommandLine, flags: CommonOptions): Promise<ExitCode> {
  const { answer } = createOutput(line.terminal, flags.json === true);
  const folder = process.cwd();
  if ((await textOf(join(folder, checksFile))) !== undefined)
    throw new WorkflowError('CONFLICT', messages.checks.exists(checksFile));
  const proposed = proposeChecks(folder);
  await writeNewFiles(folder, new Map([[checksFile, checksText(proposed)]]));
  const checks = proposed.map(({ name, check: { run }, from }) => ({
    name,
    command: commandText(run),
    from,
  }));
  await answer({ file: checksFile, checks }, () =>
    [
      ...checks.map(({ name, command, from }) => `${name.padEnd(8)}  ${plainLine(command)}  (${from})`),
      ...(checks.length === 0 ? [messages.checks.noneFound] : []),
      messages.checks.written(checksFile),
      ...(checks[0] === undefined ? [] : [`  workflowlookup checks run ${checks[0].name}`]),
      '  workflowlookup checks trust',
    ].join('\n'),
  );
  return exitCodes.ok;
}
