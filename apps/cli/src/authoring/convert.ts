import { cp, lstat, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import { readWorkflowFolder } from '@workflowlookup/core';
import type { Json } from '@workflowlookup/schema';
import {
  WorkflowError,
  digestOf,
  encodeToon,
  isJsonObject,
  readValue,
  toPointer,
} from '@workflowlookup/schema';
import { CST, Lexer, stringify } from 'yaml';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import type { Notation } from '../files.ts';
import {
  findPlace,
  isActivityFolder,
  isWorkflowFile,
  nameOf,
  notationOf,
  readDefinitionText,
  refuseLinkedFolders,
  statOf,
  workflowFolderOf,
  writeNewFiles,
} from '../files.ts';
import { convertMessages } from '../messages/authoring.ts';
import { fileMessages } from '../messages/common.ts';
import { plainLine } from '../terminal/plain-text.ts';

export interface ConvertFlags {
  readonly to: Notation;
  readonly out?: string;
  readonly dropComments?: boolean;
}

/**
 * Converts a definition, or the folder of an activity workflow, to another notation. Nothing is written if anything
 * would be lost.
 */
export async function convert(
  context: CommandContext,
  named: string,
  flags: ConvertFlags,
): Promise<ExitCode> {
  const { path, isDirectory } = await findPlace(named);
  return isDirectory ? convertFolder(context, path, flags) : convertFile(context, path, flags);
}

async function convertFile(context: CommandContext, path: string, flags: ConvertFlags): Promise<ExitCode> {
  const { to, out, dropComments = false } = flags;
  const name = nameOf(path);
  const from = notationOf(path);
  if (from === undefined || from === to) {
    const { unknownNotation, sameNotation } = convertMessages;
    throw new WorkflowError('INVALID_INPUT', (from === undefined ? unknownNotation : sameNotation)(name));
  }
  const isPart = isWorkflowFile(basename(path)) || (await workflowFolderOf(path)) !== undefined;
  if (to === 'toon' && !isPart)
    throw new WorkflowError('INVALID_INPUT', convertMessages.toonStepWorkflow(name));
  const text = await readDefinitionText(path);
  const converted = await convertText({ name, text, from, to, dropComments });
  const { dropped: droppedComments, digest } = converted;
  const result = { from: name, to, droppedComments, digest };
  if (out === undefined)
    return context.answerExact({ ...result, text: converted.text }, () => `${converted.text.trimEnd()}\n`);
  await writeNewFiles(dirname(resolve(out)), new Map([[basename(out), converted.text]]));
  const file = nameOf(resolve(out));
  return context.answer({ ...result, files: [file] }, () => fileMessages.wrote(plainLine(file)));
}

/**
 * Converts the folder of an activity workflow into a new folder. Files that are not definitions are copied as they
 * are.
 */
async function convertFolder(
  context: CommandContext,
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
    const made = { from: nameOf(folder), to: flags.to, ...converted, digest, files };
    return await context.answer(made, () =>
      convertMessages.wroteFolder(plainLine(nameOf(target)), files.length),
    );
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Returns the digest of two folders that hold the same workflow.
 *
 * @throws WorkflowError INVALID_FILE if they differ
 */
async function digestOfBoth(before: string, after: string): Promise<string> {
  const id = basename(before);
  const [was, is] = [await readFolder(before, id), await readFolder(after, id)];
  const fresh = is.errors.find((error) => !was.errors.includes(error));
  if (fresh === undefined && was.digest === is.digest) return is.digest;
  throw new WorkflowError('INVALID_FILE', convertMessages.notSame(nameOf(before), fresh ?? ''));
}

/**
 * Returns the folder to write to.
 *
 * @throws WorkflowError INVALID_INPUT if the folder may not be written, or the source is not a workflow
 */
async function targetOf(folder: string, { out }: ConvertFlags): Promise<string> {
  const refuse = (message: string): never => {
    throw new WorkflowError('INVALID_INPUT', message);
  };
  const name = nameOf(folder);
  if (!(await isActivityFolder(folder))) refuse(convertMessages.noWorkflowFile(name));
  if (out === undefined) return refuse(convertMessages.nameOutput);
  const target = resolve(out);
  if (target.startsWith(folder)) refuse(convertMessages.outputInside(out, name));
  await refuseLinkedFolders(target);
  return (await statOf(target)) === undefined ? target : refuse(fileMessages.exists(out));
}

/** Returns whether a path is a file or folder and not a link: a link may lead to something outside the workflow. */
async function isPlain(path: string): Promise<boolean> {
  const stats = await lstat(path);
  return stats.isFile() || stats.isDirectory();
}

/** Converts the definitions in a folder. Returns their new paths, relative to it. */
async function convertFilesIn(
  folder: string,
  { to, dropComments = false }: ConvertFlags,
): Promise<{ readonly files: readonly string[]; readonly droppedComments: number }> {
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

/** Returns the workflow file, activities and skills. Resources are left out because agents get them as they are. */
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

/**
 * Returns the digest of an activity workflow and its errors, each with the name of its file, without the extension. Does
 * not resolve references to other workflows.
 */
async function readFolder(
  folder: string,
  id: string,
): Promise<{ readonly digest: string; readonly errors: readonly string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = new Map<string, string>();
  for (const entry of entries) {
    if (!entry.isFile() || !/\.(?:json|ya?ml|toon|md)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    texts.set(relative(folder, path).split(sep).join(posix.sep), await readFile(path, 'utf8'));
  }
  const { workflow, issuesByFile } = await readWorkflowFolder(texts, { id });
  const errors = [...issuesByFile].flatMap(([file, issues]) =>
    issues.flatMap(({ severity, message }) =>
      severity === 'error' ? `${file.replace(/\.[a-z]+$/, '')}: ${message}` : [],
    ),
  );
  return { digest: workflow?.digest ?? digestOf(errors.toSorted()), errors };
}

interface Conversion {
  readonly name: string;
  readonly text: string;
  readonly from: Notation;
  readonly to: Notation;
  readonly dropComments: boolean;
}

interface Converted {
  readonly text: string;
  readonly dropped: number;
  /** SHA-256 of the content that both texts share. */
  readonly digest: string;
}

/**
 * Converts a text to another notation, then reads the result back and compares it with the original.
 *
 * @throws WorkflowError INVALID_WORKFLOW if the text can't be read, INVALID_FILE if something would be lost
 */
export async function convertText(conversion: Conversion): Promise<Converted> {
  const { name, text, from, to, dropComments } = conversion;
  const value = await read(name, text, from);
  const comments = to === from ? [] : commentLines(text, from);
  if (comments.length > 0 && !dropComments)
    throw lost(name, convertMessages.comments(comments.length, comments[0] ?? 1));
  const inexact = findInexact(value, text.match(/\d{16,}/g) ?? [], []);
  if (inexact !== undefined) throw lost(name, convertMessages.tooManyDigits(inexact));
  const written = await writeBack(conversion, value);
  return { text: written, dropped: comments.length, digest: digestOf(value) };
}

/** Returns the numbers of the lines that hold comments, counted from 1. */
function commentLines(text: string, notation: Notation): readonly number[] {
  if (notation === 'json') return [];
  if (notation === 'toon')
    return text.split(/\r\n|\n|\r/).flatMap((one, at) => (/^\s*#/.test(one) ? [at + 1] : []));
  const lines: number[] = [];
  let [line, isScalar] = [1, false];
  for (const lexeme of new Lexer().lex(text)) {
    if (!isScalar && lexeme.startsWith('#')) lines.push(line);
    isScalar = lexeme === CST.SCALAR;
    line += lexeme.split('\n').length - 1;
  }
  return lines;
}

async function read(name: string, text: string, format: Notation): Promise<Json> {
  const { value, issues } = await readValue({ text, format });
  if (value !== undefined) return value;
  const { message = convertMessages.unreadable, line = 1, column = 1 } = issues[0] ?? {};
  throw new WorkflowError('INVALID_WORKFLOW', convertMessages.invalid(name, message, line, column));
}

/**
 * Formats a value in a notation.
 *
 * @throws TypeError if TOON can't express the value
 */
async function write(value: Json, notation: Notation): Promise<string> {
  if (notation === 'json') return `${JSON.stringify(value, undefined, 2)}\n`;
  if (notation === 'toon') return `${await encodeToon(value)}\n`;
  return stringify(value, { version: '1.2', schema: 'core', lineWidth: 0, aliasDuplicateObjects: false });
}

/** Returns the converted text if it reads back as the same value. */
async function writeBack({ name, to }: Conversion, value: Json): Promise<string> {
  const written = await write(value, to).catch((error: unknown) => {
    throw error instanceof TypeError
      ? lost(name, convertMessages.cantExpress(spoken[to], error.message))
      : error;
  });
  // A file stores UTF-8, in which half of a surrogate pair would not survive.
  const text = new TextDecoder().decode(new TextEncoder().encode(written));
  const { value: back, issues } = await readValue({ text, format: to });
  const problem = issues.find(({ severity }) => severity === 'error');
  if (problem !== undefined)
    throw lost(name, convertMessages.cantExpressAt(spoken[to], problem.pointer, problem.message));
  // The order of keys matters too, because agents see a definition in its order.
  if (JSON.stringify(back) !== JSON.stringify(value))
    throw lost(name, convertMessages.readsBack(spoken[to], firstDifference(value, back, [])));
  return text;
}

const spoken: Readonly<Record<Notation, string>> = { json: 'JSON', yaml: 'YAML', toon: 'TOON' };

function lost(name: string, what: string): WorkflowError {
  return new WorkflowError('INVALID_FILE', convertMessages.wouldLose(name, what));
}

type Path = readonly (string | number)[];

/**
 * Returns the path of the first whole number that was read as a different number than was written. `written` are the
 * numbers that are too long for a JavaScript number to be sure to hold.
 */
function findInexact(value: unknown, written: readonly string[], path: Path): string | undefined {
  if (written.length === 0) return undefined;
  if (typeof value === 'number') {
    const size = Math.abs(value);
    const isOther = written.some((digits) => Number(digits) === size && BigInt(digits) !== BigInt(size));
    return isOther ? toPointer(path) : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const found = findInexact(child, written, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the path of the first value that differs. */
function firstDifference(a: unknown, b: unknown, path: Path): string {
  if (isComparable(a) && isComparable(b)) {
    for (const key of Object.keys(a)) {
      if (JSON.stringify(a[key]) !== JSON.stringify(b[key]))
        return firstDifference(a[key], b[key], [...path, key]);
    }
  }
  return toPointer(path);
}

function isComparable(value: unknown): value is Readonly<Record<string, Json | undefined>> {
  return isJsonObject(value) || Array.isArray(value);
}
