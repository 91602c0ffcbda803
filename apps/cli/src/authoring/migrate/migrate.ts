import { createTwoFilesPatch } from 'diff';
import type { Issue } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommonOptions } from '../../add-command.ts';
import type { CommandLine } from '../../command-line.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { exitCodes } from '../../exit-codes.ts';
import { createOutput } from '../../output.ts';
import { nameOf } from '../name-of.ts';
import { notationOf } from '../notation.ts';
import { findPlace } from '../place.ts';
import { readDefinitionText } from '../../read-file.ts';
import { refuseLinks, replaceFile } from '../../write-files.ts';
import { migrateText } from './migrate-text.ts';
import { migrationText } from './migration-text.ts';

/** What `migrate` takes. */
export interface MigrateFlags extends CommonOptions {
  readonly write?: boolean;
}

/** A file, and what becomes of it. */
export interface MigratedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly changes: readonly string[];
  readonly left: readonly Issue[];
  readonly isWritten: boolean;
}

/** Brings older step workflows to the current form; shows what would change, or writes it. */
export async function migrate(
  line: CommandLine,
  paths: readonly string[],
  { write = false, json = false }: MigrateFlags,
): Promise<ExitCode> {
  const files: MigratedFile[] = [];
  for (const path of paths) files.push(await migrateFile(path, write));
  const output = createOutput(line.terminal, json);
  await output.answer({ files: files.map(onWire) }, () => migrationText(files, line.terminal));
  return files.some(({ left }) => left.length > 0) ? exitCodes.findings : exitCodes.ok;
}

async function migrateFile(named: string, write: boolean): Promise<MigratedFile> {
  if (write) await refuseLinks(named);
  const { path, isDirectory } = await findPlace(named);
  const format = isDirectory ? undefined : notationOf(path);
  if (format === undefined || format === 'toon') {
    throw new WorkflowError(
      'INVALID_PARAMS',
      `'${named}' is no file of a step workflow: name .json, .yaml or .yml files.`,
    );
  }
  const before = await readDefinitionText(path);
  const mark = before.startsWith('\uFEFF') ? '\uFEFF' : '';
  const { text, changes, left } = await migrateText(before.slice(mark.length), format);
  const after = mark + text;
  const isWritten = write && after !== before;
  if (isWritten) await replaceFile(path, after);
  return { file: nameOf(path), before, after, changes, left, isWritten };
}

function onWire({ file, before, after, changes, left, isWritten }: MigratedFile): object {
  return {
    file,
    changes,
    left: left.map(({ code, pointer, line, column, message, suggestion }) => ({
      code,
      pointer,
      line,
      column,
      message,
      ...(suggestion !== undefined && { suggestion }),
    })),
    isWritten,
    ...(before !== after && { diff: createTwoFilesPatch(file, file, before, after) }),
  };
}
