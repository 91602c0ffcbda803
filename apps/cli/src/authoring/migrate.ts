import { readDefinition } from '@workflowlookup/core';
import type { Issue, Json, JsonObject } from '@workflowlookup/schema';
import { WorkflowError, applyEdits, isJsonObject, readValue } from '@workflowlookup/schema';
import { createTwoFilesPatch } from 'diff';
import type { FormattingOptions } from 'jsonc-parser';
import { applyEdits as applyJsonEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import type { Document } from 'yaml';
import { isMap, isScalar, parseDocument } from 'yaml';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { CommonOptions } from '../commands/options.ts';
import { nameOf, readDefinitionText, refuseLinks, replaceFile } from '../files.ts';
import { messages } from '../messages.ts';
import { diffText } from '../terminal/diff-text.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createOutput } from '../terminal/terminal.ts';
import type { Notation } from './definition-files.ts';
import { findPlace, notationOf } from './definition-files.ts';
import type { Change, Edit, Path } from './migrate-rules.ts';
import { changesOfConfirmations, changesOfFields, changesOfFunctions } from './migrate-rules.ts';

export interface MigrateFlags extends CommonOptions {
  readonly write?: boolean;
}

interface MigratedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly changes: readonly string[];
  readonly left: readonly Issue[];
  readonly isWritten: boolean;
}

/** Brings older step workflows to the current form. Shows the changes, or writes them with `--write`. */
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
    throw new WorkflowError('INVALID_INPUT', messages.definitions.notStepWorkflow(named));
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

function migrationText(files: readonly MigratedFile[], terminal: Terminal): string {
  const open = files.filter(({ before, after, isWritten }) => before !== after && !isWritten).length;
  const hint =
    open === 0 ? [] : [`--write writes ${open === 1 ? 'the change' : 'the changes'} of ${counted(open)}.`];
  return [...files.map((file) => fileText(file, terminal)), ...hint].join('\n\n');
}

function fileText(migrated: MigratedFile, terminal: Terminal): string {
  const { file, before, after, changes, left, isWritten } = migrated;
  const { paint } = terminal;
  const isSame = before === after;
  const state = isSame ? 'is unchanged' : isWritten ? 'was changed' : 'would be changed';
  return [
    `${paint('bold', plainLine(file))} ${state}`,
    ...changes.map((what) => `  ${plainLine(what)}`),
    ...(isSame || isWritten ? [] : [diffText(before, after, terminal)]),
    ...(left.length === 0 ? [] : [paint('yellow', '  To fix by hand:')]),
    ...left.map(
      ({ line, column, message, suggestion = '' }) =>
        `  ${line}:${column} ${plainLine(`${message.replace(/\.$/, '')}. ${suggestion}`.trim())}`,
    ),
  ].join('\n');
}

function counted(files: number): string {
  return files === 1 ? 'one file' : `${files} files`;
}

interface Migration {
  readonly text: string;
  /** The changes, in the order they were made. */
  readonly changes: readonly string[];
  /** Problems that only the author can fix. */
  readonly left: readonly Issue[];
}

/** Each rule sees the result of the rules before it. */
const rules: readonly ((document: JsonObject) => Iterable<Change>)[] = [
  changesOfFields,
  changesOfFunctions,
  changesOfConfirmations,
];

/** Fixing one problem can reveal another, so the text is read again, at most this often. */
const maxRounds = 10;

/** Brings the text of a step workflow to the current form, as far as that is possible without its author. */
async function migrateText(text: string, format: 'json' | 'yaml'): Promise<Migration> {
  const draft = { text, changes: [] as string[] };
  // Misspelled properties are fixed first, so that the rules below find them.
  mend(draft, (await readDefinition({ text, format })).issues);
  for (const rule of rules) {
    const { value } = await readValue({ text: draft.text, format });
    if (isJsonObject(value)) take(draft, format, [...rule(value)]);
  }
  for (let round = 0; round < maxRounds; round += 1) {
    const { issues } = await readDefinition({ text: draft.text, format });
    const before = draft.text;
    mend(draft, issues);
    if (draft.text === before) take(draft, format, await notes(draft.text, format, issues));
    if (draft.text === before) {
      return { ...draft, left: issues.filter(({ severity }) => severity === 'error') };
    }
  }
  const { issues } = await readDefinition({ text: draft.text, format });
  return { ...draft, left: issues.filter(({ severity }) => severity === 'error') };
}

interface Draft {
  text: string;
  readonly changes: string[];
}

function take(draft: Draft, format: 'json' | 'yaml', changes: readonly Change[]): void {
  draft.text = applyChanges(draft.text, format, changes);
  draft.changes.push(...changes.flatMap(({ what }) => what ?? []));
}

function mend(draft: Draft, issues: readonly Issue[]): void {
  const fixable = issues.filter(({ edits }) => edits !== undefined);
  draft.text = applyEdits(
    draft.text,
    fixable.flatMap(({ edits = [] }) => edits),
  );
  draft.changes.push(...fixable.map(({ message, suggestion }) => `${message}: ${suggestion ?? 'put right'}`));
}

/** Turns unknown properties into notes of the author (`x-…`), which the server keeps and ignores. */
async function notes(
  text: string,
  format: 'json' | 'yaml',
  issues: readonly Issue[],
): Promise<readonly Change[]> {
  const { value } = await readValue({ text, format });
  return issues.flatMap(({ code, pointer }) => {
    if (code !== 'unknown-property' && code !== 'older-property') return [];
    const path = pathOf(pointer, value);
    const name = String(path.at(-1));
    return {
      path,
      edit: { kind: 'rename', to: `x-${name}` },
      what: `'${name}' at ${pointer} is a note now: 'x-${name}'`,
    };
  });
}

/** Converts a JSON pointer to keys and indexes, which only the document can tell apart. */
function pathOf(pointer: string, document: Json | undefined): Path {
  let value: unknown = document;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(value) ? Number(key) : key;
      value = (value as Readonly<Record<string | number, unknown>> | undefined)?.[step];
      return step;
    });
}

/** Applies changes to a text. JSON keeps its layout; YAML is laid out again and keeps its comments. */
function applyChanges(text: string, notation: Notation, changes: readonly Change[]): string {
  if (changes.length === 0) return text;
  return notation === 'json' ? changes.reduce(changeJson, text) : changeYaml(text, changes);
}

function changeJson(text: string, { path, edit }: Change): string {
  if (edit.kind === 'rename') return renameInJson(text, path, edit.to);
  const value = edit.kind === 'set' ? edit.value : undefined;
  return applyJsonEdits(text, modify(text, [...path], value, { formattingOptions: layoutOf(text) }));
}

function renameInJson(text: string, path: Path, to: string): string {
  const root = parseTree(text);
  const key = root && findNodeAtLocation(root, [...path])?.parent?.children?.[0];
  if (key === undefined) return text;
  return applyJsonEdits(text, [{ offset: key.offset, length: key.length, content: JSON.stringify(to) }]);
}

function layoutOf(text: string): FormattingOptions {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol,
  };
}

function changeYaml(text: string, changes: readonly Change[]): string {
  const document = parseDocument(text, { version: '1.2', schema: 'core' });
  for (const { path, edit } of changes) changeInYaml(document, path, edit);
  return document.toString({ lineWidth: 0 });
}

function changeInYaml(document: Document, path: Path, edit: Edit): void {
  if (edit.kind === 'set') return document.setIn(path, document.createNode(edit.value));
  if (edit.kind === 'remove') return void document.deleteIn(path);
  const owner = document.getIn(path.slice(0, -1), true);
  const pair = isMap(owner)
    ? owner.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
    : undefined;
  if (isScalar(pair?.key)) pair.key.value = edit.to;
}
