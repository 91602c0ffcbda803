import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Json } from '@workflowlookup/schema';
import { WorkflowError, encodeToon } from '@workflowlookup/schema';
import { CST, Lexer, stringify } from 'yaml';
import { fileMessages } from '../messages/common.ts';

/** A file or folder named on the command line. */
interface Place {
  /** The real path, with links resolved. */
  readonly path: string;
  readonly isDirectory: boolean;
}

/**
 * Resolves a path from the command line.
 *
 * @throws WorkflowError INVALID_INPUT if it does not exist or can't be read
 */
export async function findPlace(path: string): Promise<Place> {
  try {
    const real = await realpath(resolve(path));
    return { path: real, isDirectory: (await stat(real)).isDirectory() };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const { missing, unreadable } = fileMessages;
    const message = code === 'ENOENT' ? missing(path) : unreadable(path, code ?? 'unknown');
    throw new WorkflowError(code === 'ENOENT' ? 'NOT_FOUND' : 'INVALID_INPUT', message, { cause });
  }
}

export async function isActivityFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some(isWorkflowFile);
}

/** Returns whether a file with this name makes its folder an activity workflow. */
export function isWorkflowFile(name: string): boolean {
  return /^workflow\.(?:json|ya?ml|toon)$/.test(name);
}

/** Returns the folder of the activity workflow that an activity, skill or resource file belongs to. */
export async function workflowFolderOf(file: string): Promise<string | undefined> {
  const folder = dirname(file);
  if (!['activities', 'skills', 'resources'].includes(basename(folder))) return undefined;
  return (await isActivityFolder(dirname(folder))) ? dirname(folder) : undefined;
}

export const notations = ['json', 'yaml', 'toon'] as const;

export type Notation = (typeof notations)[number];

export function notationOf(file: string): Notation | undefined {
  if (/\.ya?ml$/.test(file)) return 'yaml';
  return notations.find((notation) => file.endsWith(`.${notation}`));
}

/**
 * Formats a value in a notation.
 *
 * @throws TypeError if TOON can't express the value
 */
export async function write(value: Json, notation: Notation): Promise<string> {
  if (notation === 'json') return `${JSON.stringify(value, undefined, 2)}\n`;
  if (notation === 'toon') return `${await encodeToon(value)}\n`;
  return stringify(value, { version: '1.2', schema: 'core', lineWidth: 0, aliasDuplicateObjects: false });
}

/** Returns the numbers of the lines that hold comments, counted from 1. */
export function commentLines(text: string, notation: Notation): readonly number[] {
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
