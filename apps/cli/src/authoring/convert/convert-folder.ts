import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine } from '../../command-line.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { exitCodes } from '../../exit-codes.ts';
import { createOutput } from '../../output.ts';
import { plainLine } from '../../plain-text.ts';
import { refuseLinkedFolders } from '../../write-files.ts';
import { nameOf } from '../name-of.ts';
import { notationOf } from '../notation.ts';
import { isActivityFolder, isWorkflowFile } from '../place.ts';
import type { ConvertFlags } from './convert.ts';
import { convertText } from './convert-text.ts';
import { readFolder } from './read-folder.ts';

/** Writes the folder of an activity workflow to a new one, its definitions in another notation, the rest as it is. */
export async function convertFolder(
  line: CommandLine,
  folder: string,
  flags: ConvertFlags,
): Promise<ExitCode> {
  const target = await targetOf(folder, flags);
  await mkdir(dirname(target), { recursive: true });
  const draft = await mkdtemp(join(dirname(target), '.convert-'));
  try {
    const inDraft = join(draft, basename(target));
    await cp(folder, inDraft, { recursive: true, filter: isPlain });
    const converted = await convertFilesIn(inDraft, flags);
    const digest = await digestOfBoth(folder, inDraft);
    await rename(inDraft, target);
    const files = converted.files.map((file) => nameOf(join(target, file)));
    const made = {
      from: nameOf(folder),
      to: flags.to,
      droppedComments: converted.droppedComments,
      digest,
      files,
    };
    const output = createOutput(line.terminal, flags.json === true);
    await output.answer(
      made,
      () => `Wrote ${plainLine(nameOf(target))}, ${files.length} of its files in another notation.`,
    );
    return exitCodes.ok;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The digest of two folders that are the same workflow. @throws WorkflowError VALIDATION */
async function digestOfBoth(before: string, after: string): Promise<string> {
  const id = basename(before);
  const [was, is] = [await readFolder(before, id), await readFolder(after, id)];
  const fresh = is.errors.find((error) => !was.errors.includes(error));
  if (fresh === undefined && was.digest === is.digest) return is.digest;
  const why = fresh === undefined ? '' : ` ${fresh}.`;
  throw new WorkflowError(
    'VALIDATION',
    `'${nameOf(before)}' is not converted, because it would not be the same workflow.${why}`,
  );
}

/** Where to write. @throws WorkflowError INVALID_PARAMS where nothing may be written, or what is there is no workflow */
async function targetOf(folder: string, { out }: ConvertFlags): Promise<string> {
  const refuse = (message: string): never => {
    throw new WorkflowError('INVALID_PARAMS', message);
  };
  const name = nameOf(folder);
  if (!(await isActivityFolder(folder))) {
    refuse(`'${name}' has no workflow file: name a file, or the folder of an activity workflow.`);
  }
  if (out === undefined) return refuse('Name the folder to write to, such as --out ./converted/my-flow.');
  const target = resolve(out);
  if (target.startsWith(folder)) refuse(`'${out}' lies in '${name}' itself.`);
  await refuseLinkedFolders(target);
  const isThere = await lstat(target).then(
    () => true,
    () => false,
  );
  return isThere ? refuse(`'${out}' already exists. Nothing was written.`) : target;
}

/** Links are not followed: what they lead to may not belong to the workflow. */
async function isPlain(path: string): Promise<boolean> {
  const stats = await lstat(path);
  return stats.isFile() || stats.isDirectory();
}

interface ConvertedFiles {
  /** What was written, by path in the folder. */
  readonly files: readonly string[];
  readonly droppedComments: number;
}

async function convertFilesIn(
  folder: string,
  { to, dropComments = false }: ConvertFlags,
): Promise<ConvertedFiles> {
  const files: string[] = [];
  let droppedComments = 0;
  for (const file of await definitionsIn(folder)) {
    const from = notationOf(file);
    if (from === undefined || from === to) continue;
    const text = await readFile(join(folder, file), 'utf8');
    const converted = await convertText({ name: file, text, from, to, dropComments });
    const name = file.replace(/\.[a-z]+$/, `.${to}`);
    await writeFile(join(folder, name), converted.text, { flag: 'wx' });
    await rm(join(folder, file));
    files.push(name);
    droppedComments += converted.dropped;
  }
  return { files, droppedComments };
}

/** The workflow file, activities and skills; resources are texts, which agents are given as they are. */
async function definitionsIn(folder: string): Promise<readonly string[]> {
  const own = (await readdir(folder)).filter(isWorkflowFile);
  const parts = await Promise.all(
    ['activities', 'skills'].map(async (kind) => {
      const names = await readdir(join(folder, kind)).catch(() => []);
      return names.filter((name) => /^\d+-/.test(name)).map((name) => join(kind, name));
    }),
  );
  return [...own, ...parts.flat()];
}
