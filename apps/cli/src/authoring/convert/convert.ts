import { basename, dirname, resolve } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommonOptions } from '../../add-command.ts';
import type { CommandLine } from '../../command-line.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { exitCodes } from '../../exit-codes.ts';
import { createOutput } from '../../output.ts';
import { plainLine } from '../../plain-text.ts';
import { readDefinitionText } from '../../read-file.ts';
import { writeNewFiles } from '../../write-files.ts';
import { nameOf } from '../name-of.ts';
import type { Notation } from '../notation.ts';
import { notationOf } from '../notation.ts';
import { findPlace, isWorkflowFile, workflowFolderOf } from '../place.ts';
import { convertText } from './convert-text.ts';

/** What `convert` takes. */
export interface ConvertFlags extends CommonOptions {
  readonly to: Notation;
  readonly out?: string;
  readonly dropComments?: boolean;
}

/** Writes a definition, or the folder of an activity workflow, in another notation; nothing is lost, or nothing is written. */
export async function convert(line: CommandLine, path: string, flags: ConvertFlags): Promise<ExitCode> {
  const place = await findPlace(path);
  if (!place.isDirectory) return convertFile(line, place.path, flags);
  const { convertFolder } = await import('./convert-folder.ts');
  return convertFolder(line, place.path, flags);
}

async function convertFile(line: CommandLine, path: string, flags: ConvertFlags): Promise<ExitCode> {
  const { to, out, dropComments = false } = flags;
  const name = nameOf(path);
  const from = notationOf(path);
  if (from === undefined || from === to) {
    const why = from === undefined ? 'is no .json, .yaml, .yml or .toon file' : 'is written in that already';
    throw new WorkflowError('INVALID_PARAMS', `'${name}' ${why}.`);
  }
  const isPart = isWorkflowFile(basename(path)) || (await workflowFolderOf(path)) !== undefined;
  if (to === 'toon' && !isPart) {
    throw new WorkflowError(
      'INVALID_PARAMS',
      `'${name}' is a step workflow, which is JSON or YAML: a server reads TOON in the folders of activity workflows alone.`,
    );
  }
  const text = await readDefinitionText(path);
  const converted = await convertText({ name, text, from, to, dropComments });
  const output = createOutput(line.terminal, flags.json === true);
  if (out !== undefined)
    await writeNewFiles(dirname(resolve(out)), new Map([[basename(out), converted.text]]));
  const { dropped: droppedComments, digest } = converted;
  const told = { from: name, to, droppedComments, digest };
  if (out === undefined) {
    if (output.asJson) await output.answer({ ...told, text: converted.text }, String);
    else await line.terminal.printExact(`${converted.text.trimEnd()}\n`);
  } else {
    await output.answer(
      { ...told, files: [nameOf(resolve(out))] },
      () => `Wrote ${plainLine(nameOf(resolve(out)))}.`,
    );
  }
  return exitCodes.ok;
}
