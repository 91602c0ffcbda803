import { readDefinition } from '@workflowlookup/core';
import type { Json, JsonObject, Issue } from '@workflowlookup/schema';
import { isJsonObject, WorkflowError, applyEdits, readValue } from '@workflowlookup/schema';
import { createTwoFilesPatch } from 'diff';
import type { FormattingOptions } from 'jsonc-parser';
import { applyEdits as applyJsonEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import type { Document } from 'yaml';
import { isMap, isScalar, parseDocument } from 'yaml';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import type { Notation } from '../files.ts';
import { findPlace, nameOf, notationOf, readDefinitionText, refuseLinks, replaceFile } from '../files.ts';
import { definitionMessages } from '../messages/definitions.ts';
import { migrationMessages } from '../messages/authoring.ts';
import { diffText } from '../terminal/excerpts.ts';
import { plainLine } from '../terminal/plain-text.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Keys and indexes that lead to a value in a document. */
type Path = readonly (string | number)[];

/** One change of a document, with its reason. */
interface Change {
  readonly path: Path;
  readonly edit: Edit;
  /** What changes, in words. Absent if another change describes it. */
  readonly what?: string;
}

/** A change of the property at a path: it is removed, set or renamed. */
type Edit =
  | { readonly kind: 'remove' }
  | { readonly kind: 'set'; readonly value: Json }
  | { readonly kind: 'rename'; readonly to: string };

/** A step in an older form, and its path in the document. */
interface OlderStep {
  readonly step: JsonObject;
  readonly path: Path;
  /** The loops around the step, innermost last. */
  readonly loops: readonly JsonObject[];
}

/** Yields every step that is an object, depth first, with a loop before its body. */
function* olderSteps(
  steps: Json | undefined,
  path: Path = ['steps'],
  loops: readonly JsonObject[] = [],
): Generator<OlderStep> {
  for (const [at, step] of itemsOf(steps).entries()) {
    if (!isJsonObject(step)) continue;
    yield { step, path: [...path, at], loops };
    if (isLoop(step)) yield* olderSteps(step['body'], [...path, at, 'body'], [...loops, step]);
  }
}

/** Returns the items of a list; none for any other value. */
function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function isLoop(step: JsonObject): boolean {
  return step['type'] === 'loop';
}

function nameOfStep({ step, path }: OlderStep): string {
  const noun = isLoop(step) ? 'loop' : 'step';
  const { named, unnamed } = migrationMessages;
  return typeof step['id'] === 'string' ? named(noun, step['id']) : unnamed(noun, `/${path.join('/')}`);
}

/** The longest text that `metaGuidance` accepts. */
const maxStatement = 256;

/**
 * Inlines functions, which older workflows define once and refer to by name. Each step gets the text of the functions
 * it refers to in its guidance; functions without a reference go to `metaGuidance`, which agents see with the first
 * step.
 */
function* changesOfFunctions(document: JsonObject): Generator<Change> {
  const everywhere = definitionsIn(document);
  const steps = [...olderSteps(document['steps'])];
  const used = new Set<string>();
  for (const older of steps) {
    const { step, loops } = older;
    const known = new Map([...everywhere, ...loops.flatMap(definitionsIn), ...definitionsIn(step)]);
    if (!isLoop(step)) yield* changesOfStep(older, known, used);
    for (const key of ['functionDefinitions', 'functionReferences', 'functionCalls']) {
      if (Object.hasOwn(step, key)) yield { path: [...older.path, key], edit: { kind: 'remove' } };
    }
  }
  yield* changesOfUnusedFunctions(document, everywhere, used);
}

type Definitions = readonly (readonly [name: string, text: string])[];

function definitionsIn(owner: JsonObject): Definitions {
  return itemsOf(owner['functionDefinitions'])
    .filter(isJsonObject)
    .map((definition) => {
      const name = inSentence(definition['name']);
      return [name, `${name}(${parametersOf(definition)}): ${inSentence(definition['definition'])}`] as const;
    });
}

function parametersOf({ parameters }: JsonObject): string {
  return itemsOf(parameters)
    .filter(isJsonObject)
    .map(
      ({ name, type, required }) => `${inSentence(name)}${required === true ? '' : '?'}: ${inSentence(type)}`,
    )
    .join(', ');
}

function* changesOfStep(
  older: OlderStep,
  known: ReadonlyMap<string, string>,
  used: Set<string>,
): Generator<Change> {
  const { step, path } = older;
  const [references, calls] = [namesIn(step['functionReferences']), callsIn(step['functionCalls'])];
  const own = definitionsIn(step).map(([name]) => name);
  const names = new Set([...references, ...calls.map(({ name }) => name), ...own]);
  if (names.size === 0) return;
  const texts = [...names].flatMap((name) => known.get(name) ?? []);
  for (const name of names) used.add(name);
  const lines = [
    ...(references.length === 0 ? [] : [migrationMessages.applyInOrder(references)]),
    ...calls.map(({ text }) => migrationMessages.apply(text)),
    ...texts,
  ];
  const value = [...guidanceOf(step), ...lines];
  const what = migrationMessages.functionsInGuidance(nameOfStep(older));
  yield { path: [...path, 'guidance'], edit: { kind: 'set', value }, what };
}

function inSentence(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** Returns the guidance of a step as a list; it may be a single text. */
function guidanceOf({ guidance }: JsonObject): readonly Json[] {
  return guidance === undefined || Array.isArray(guidance) ? itemsOf(guidance) : [guidance];
}

function namesIn(references: Json | undefined): readonly string[] {
  return itemsOf(references).map((reference) => inSentence(reference).replace(/\(\)$/, ''));
}

function callsIn(calls: Json | undefined): readonly { readonly name: string; readonly text: string }[] {
  return itemsOf(calls)
    .filter(isJsonObject)
    .map((call) => {
      const name = inSentence(call['name']);
      const given = isJsonObject(call['args']) ? Object.entries(call['args']) : [];
      const text = given.map(([parameter, value]) => `${parameter}: ${JSON.stringify(value)}`).join(', ');
      return { name, text: `${name}(${text})` };
    });
}

/** Moves the functions that no step refers to into `metaGuidance`. */
function* changesOfUnusedFunctions(
  document: JsonObject,
  everywhere: Definitions,
  used: ReadonlySet<string>,
): Generator<Change> {
  if (!Object.hasOwn(document, 'functionDefinitions')) return;
  const unused = everywhere.filter(([name]) => !used.has(name)).map(([, text]) => text);
  if (unused.length > 0) {
    const value = [...itemsOf(document['metaGuidance']), ...unused.flatMap(pieces)];
    const what = migrationMessages.unusedFunctions;
    yield { path: ['metaGuidance'], edit: { kind: 'set', value }, what };
  }
  const what = migrationMessages.functionsRemoved;
  yield { path: ['functionDefinitions'], edit: { kind: 'remove' }, what };
}

/** Splits a text between words into pieces that `metaGuidance` accepts. */
function pieces(text: string): readonly string[] {
  const cut: string[] = [];
  let rest = text;
  while (rest.length > maxStatement) {
    const space = rest.lastIndexOf(' ', maxStatement);
    const end = space > 0 ? space : maxStatement;
    cut.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return rest === '' ? cut : [...cut, rest];
}

function* changesOfFields(document: JsonObject): Generator<Change> {
  for (const older of olderSteps(document['steps'])) {
    const { step, path } = older;
    if (Object.hasOwn(step, 'hasValidation')) {
      const what = migrationMessages.validationRemoved(nameOfStep(older));
      yield { path: [...path, 'hasValidation'], edit: { kind: 'remove' }, what };
    }
    yield* renamed(older, 'name', 'title');
    if (!isLoop(step)) yield* renamed(older, 'description', 'prompt');
  }
}

/** Renames a field. If the new name is taken, a description becomes guidance and anything else a note. */
function* renamed(older: OlderStep, from: string, to: string): Generator<Change> {
  const { step, path } = older;
  const text = step[from];
  if (typeof text !== 'string') return;
  if (!Object.hasOwn(step, to)) {
    const what = migrationMessages.renamed(from, nameOfStep(older), to);
    yield { path: [...path, from], edit: { kind: 'rename', to }, what };
  } else if (from === 'description') {
    const value = [...guidanceOf(step), text];
    const what = migrationMessages.inGuidance(from, nameOfStep(older));
    yield { path: [...path, 'guidance'], edit: { kind: 'set', value }, what };
    const removed = migrationMessages.removed(from, nameOfStep(older));
    yield { path: [...path, from], edit: { kind: 'remove' }, what: removed };
  }
}

/**
 * Moves the confirmation of an older loop, which loops no longer have, to the first step of its body, for the first
 * iteration.
 */
function* changesOfConfirmations(document: JsonObject): Generator<Change> {
  const steps = [...olderSteps(document['steps'])];
  for (const older of steps) {
    const { step, path } = older;
    const asked = step['requireConfirmation'];
    if (!isLoop(step) || asked === undefined) continue;
    const first = firstOfBody(older, steps);
    const removed = migrationMessages.removed('requireConfirmation', nameOfStep(older));
    const isMoved = asked !== false && first !== undefined;
    if (isMoved) yield* changesOfFirstStep(asked, step, first);
    const what = isMoved ? migrationMessages.asksInstead(removed, nameOfStep(first)) : removed;
    yield { path: [...path, 'requireConfirmation'], edit: { kind: 'remove' }, what };
  }
}

function firstOfBody({ step, path }: OlderStep, steps: readonly OlderStep[]): OlderStep | undefined {
  const { body } = step;
  const isFirst = (other: OlderStep): boolean =>
    typeof body === 'string'
      ? other.step['id'] === body && isSamePath(other.path.slice(0, -1), path.slice(0, -1))
      : isSamePath(other.path, [...path, 'body', 0]);
  return steps.find((other) => isFirst(other) && !isLoop(other.step));
}

function isSamePath(one: Path, other: Path): boolean {
  return one.join('/') === other.join('/');
}

function* changesOfFirstStep(asked: Json, loop: JsonObject, first: OlderStep): Generator<Change> {
  const own = first.step['requireConfirmation'];
  if (own === true) return;
  const { iterationVar } = isJsonObject(loop['loop']) ? loop['loop'] : {};
  const firstIteration: JsonObject = { var: iterationVar ?? 'currentIteration', equals: 1 };
  const inFirst: JsonObject = asked === true ? firstIteration : { and: [asked, firstIteration] };
  const value: JsonObject = own === undefined || own === false ? inFirst : { or: [own, inFirst] };
  const what = migrationMessages.asks(nameOfStep(first));
  yield { path: [...first.path, 'requireConfirmation'], edit: { kind: 'set', value }, what };
}

export interface MigrateFlags {
  readonly write?: boolean;
}

type MigratedFile = Awaited<ReturnType<typeof migrateFile>>;

/** Brings older step workflows to the current form. Shows the changes, or writes them with `--write`. */
export async function migrate(
  { answer, terminal }: CommandContext,
  paths: readonly string[],
  { write = false }: MigrateFlags,
): Promise<ExitCode> {
  const files: MigratedFile[] = [];
  for (const path of paths) files.push(await migrateFile(path, write));
  return answer(
    { files: files.map(onWire) },
    () => migrationText(files, terminal),
    files.every(({ left }) => left.length === 0),
  );
}

async function migrateFile(named: string, write: boolean) {
  if (write) await refuseLinks(named);
  const { path, isDirectory } = await findPlace(named);
  const format = isDirectory ? undefined : notationOf(path);
  if (format === undefined || format === 'toon')
    throw new WorkflowError('INVALID_INPUT', definitionMessages.notStepWorkflow(named));
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
    left: left.map(({ severity: _severity, served: _served, edits: _edits, ...issue }) => issue),
    isWritten,
    ...(before !== after && { diff: createTwoFilesPatch(file, file, before, after) }),
  };
}

function migrationText(files: readonly MigratedFile[], terminal: Terminal): string {
  const open = files.filter(({ before, after, isWritten }) => before !== after && !isWritten).length;
  const hint = open === 0 ? [] : [migrationMessages.write(open)];
  return [...files.map((file) => fileText(file, terminal)), ...hint].join('\n\n');
}

function fileText(migrated: MigratedFile, terminal: Terminal): string {
  const { file, before, after, changes, left, isWritten } = migrated;
  const { paint } = terminal;
  const isSame = before === after;
  const { byHand, changed, unchanged, wouldChange } = migrationMessages;
  return [
    (isSame ? unchanged : isWritten ? changed : wouldChange)(paint('bold', plainLine(file))),
    ...changes.map((what) => `  ${plainLine(what)}`),
    ...(isSame || isWritten ? [] : [diffText(before, after, terminal)]),
    ...(left.length === 0 ? [] : [paint('yellow', `  ${byHand}`)]),
    ...left.map(
      ({ line, column, message, suggestion = '' }) =>
        `  ${line}:${column} ${plainLine(`${message.replace(/\.$/, '')}. ${suggestion}`.trim())}`,
    ),
  ].join('\n');
}

interface Migration extends Readonly<Draft> {
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
  for (let round = 0; ; round += 1) {
    const { issues } = await readDefinition({ text: draft.text, format });
    const before = draft.text;
    if (round < maxRounds) mend(draft, issues);
    if (round < maxRounds && draft.text === before)
      take(draft, format, await notes(draft.text, format, issues));
    if (draft.text === before)
      return { ...draft, left: issues.filter(({ severity }) => severity === 'error') };
  }
}

interface Draft {
  text: string;
  /** The changes, in the order they were made. */
  readonly changes: string[];
}

function take(draft: Draft, format: 'json' | 'yaml', changes: readonly Change[]): void {
  draft.text = applyChanges(draft.text, format, changes);
  draft.changes.push(...changes.flatMap(({ what }) => what ?? []));
}

function mend(draft: Draft, issues: readonly Issue[]): void {
  const fixable = issues.filter(({ edits }) => edits !== undefined);
  const edits = fixable.flatMap((issue) => issue.edits ?? []);
  draft.text = applyEdits(draft.text, edits);
  draft.changes.push(...fixable.map((issue) => migrationMessages.fixed(issue.message, issue.suggestion)));
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
    return { path, edit: { kind: 'rename', to: `x-${name}` }, what: migrationMessages.note(name, pointer) };
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
  const insertSpaces = !indent.startsWith('\t');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol };
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
