import { jsonLanguage } from '@codemirror/lang-json';
import { yamlLanguage } from '@codemirror/lang-yaml';
import type { Outline } from '@workflowlookup/diagrams';
import { editorMessages } from '../messages/workflows.ts';
import type { Draft } from './draft.tsx';

const { question: messages } = editorMessages;

/** A change of a text, in UTF-16 units, and the range to select after it. */
export interface TextChange {
  readonly from: number;
  readonly insert: string;
  readonly select: { readonly from: number; readonly to: number };
}

type Notated = Pick<Draft, 'text' | 'notation'>;

/** A step of a step workflow, or an activity. */
export interface AskingPart {
  readonly id: string;
  readonly name: string;
  /** JSON pointer of the part in the text. */
  readonly pointer: string;
}

/**
 * Returns the change that adds a step with a question for a person before a step of a step workflow. The question is
 * asked under the same condition as the step. Returns `undefined` if the text has no such step at the pointer.
 */
export function questionBefore(
  { text, notation }: Notated,
  { id, name, pointer }: AskingPart,
  { steps = [] }: Pick<Outline, 'steps'>,
): TextChange | undefined {
  const found = partAt({ text, notation }, { id, pointer });
  if (found === undefined) return undefined;
  const condition = valuesOf(found.node, text).get('runCondition')?.pair;
  const title = shorten(messages.title(name), 128);
  const fields = {
    id: uniqueId(shorten(`ask-before-${id}`, 61), idsOf(steps)),
    title,
    prompt: messages.prompt,
    requireConfirmation: true,
    approver: 'human',
  };
  return insertBefore({ text, ...found, selected: title }, fields, condition);
}

/**
 * Returns the change that adds a checkpoint for a person to an activity. No step names it, so the session asks it after
 * the steps and loops, before it leaves the activity. Returns `undefined` if the text has no such activity at the pointer.
 */
export function questionAfter(
  { text, notation }: Notated,
  { id, name, pointer }: AskingPart,
  { activities = [] }: Pick<Outline, 'activities'>,
): TextChange | undefined {
  const found = partAt({ text, notation }, { id, pointer });
  if (found === undefined) return undefined;
  // `set_by` can name activities and checkpoints, so their ids must differ.
  const taken = activities.flatMap((one) => [one.id, ...one.checkpoints.map((asked) => asked.id)]);
  const message = messages.message(name);
  const checkpoint = {
    id: uniqueId(`after-${id}`, new Set(taken)),
    name: messages.name(name),
    message,
    approver: 'human',
    options: [
      { id: 'continue', label: messages.goOn },
      { id: 'again', label: messages.again, note: 'required', effect: { transitionTo: id } },
    ],
  };
  return addCheckpoint({ text, ...found, selected: message }, checkpoint);
}

function idsOf(steps: NonNullable<Outline['steps']>): ReadonlySet<string> {
  return new Set(steps.flatMap(({ id, body }) => [id, ...(typeof body === 'object' ? idsOf(body) : [])]));
}

function uniqueId(wanted: string, taken: ReadonlySet<string>): string {
  let id = wanted;
  for (let count = 2; taken.has(id); count += 1) id = `${wanted}-${count}`;
  return id;
}

function shorten(text: string, most: number): string {
  return text.slice(0, most).replace(/-+$/, '');
}

type Node = ReturnType<(typeof yamlLanguage)['parser']['parse']>['topNode'];

/** A part of a definition in the syntax tree, with the list that it is an item of. The root is in no list. */
interface FoundPart {
  readonly node: Node;
  readonly item?: Node;
}

/** Returns the object at a pointer, if it has this id. The text may have changed since it was checked. */
function partAt(
  { text, notation }: Notated,
  { id, pointer }: Omit<AskingPart, 'name'>,
): FoundPart | undefined {
  const { parser } = notation === 'json' ? jsonLanguage : yamlLanguage;
  const root = parser.parse(text).topNode;
  let node = contentOf(notation === 'json' ? root : (root.getChild('Document') ?? root));
  let item: Node | undefined;
  for (const part of pointer.split('/').slice(1)) {
    if (node === undefined) return undefined;
    item = lists.has(node.name) ? itemsOf(node)[Number(part)] : undefined;
    const value = item ?? valuesOf(node, text).get(part)?.value;
    node = value && contentOf(value);
  }
  const own = node && valuesOf(node, text).get('id')?.value;
  if (node === undefined || own === undefined || scalarOf(own, text) !== id) return undefined;
  return { node, ...(item !== undefined && { item }) };
}

const lists = new Set(['BlockSequence', 'FlowSequence', 'Array']);
const objects = new Set(['BlockMapping', 'FlowMapping', 'Object']);
const wrappers = new Set(['Document', 'Item', 'Anchored', 'Tagged', 'JsonText']);

/** Returns the value in an item, a document, or behind an anchor or a tag. */
function contentOf(node: Node): Node | undefined {
  if (!wrappers.has(node.name)) return node;
  const child = childrenOf(node).findLast(({ name }) => !/^(?:Comment|Anchor|Tag|Directive.*)$/.test(name));
  return child && contentOf(child);
}

function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

function itemsOf(list: Node): readonly Node[] {
  const children = childrenOf(list);
  if (list.name !== 'Array') return children.filter(({ name }) => name === 'Item');
  return children.filter(({ name }) => !/^[[\],]$/.test(name));
}

interface Member {
  readonly pair: Node;
  readonly value: Node;
}

/** Returns the members of an object in a text, by their keys. */
function valuesOf(object: Node, text: string): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  if (!objects.has(object.name)) return members;
  for (const pair of childrenOf(object)) {
    const [key, value] = [pair.firstChild, pair.lastChild];
    if ((pair.name !== 'Pair' && pair.name !== 'Property') || key === null || value === null) continue;
    members.set(scalarOf(key, text), { pair, value });
  }
  return members;
}

function scalarOf({ from, to }: Node, text: string): string {
  return text.slice(from, to).replaceAll(/^["']|["']$/g, '');
}

type Value = string | boolean | readonly Value[] | { readonly [key: string]: Value };
type Fields = Readonly<Record<string, Value>>;

interface Insertion extends FoundPart {
  readonly text: string;
  /** The text to select in what is inserted. */
  readonly selected: string;
}

/** Inserts an object before an item of a list, with a member that is copied from the text. */
function insertBefore(
  { text, item, node, selected }: Insertion,
  fields: Fields,
  copied: Node | undefined,
): TextChange | undefined {
  const dash = item?.parent?.name === 'BlockSequence' ? item.prevSibling : null;
  if (dash === null) {
    const gap = gapBefore(node.from, text);
    return changeAt(node.from, `${flow(fields, gap, copied && textOf(copied, text))},${gap}`, selected);
  }
  const start = lineStart(dash.from, text);
  const indent = text.slice(start, dash.from);
  if (indent.trim() !== '') return undefined;
  const moved = copied === undefined ? [] : unindented(textOf(copied, text), columnOf(copied.from, text));
  const [first = '', ...rest] = [...block(fields), ...moved];
  const lines = [`- ${first}`, ...rest.map((line) => `  ${line}`)].map((line) => `${indent}${line}\n`);
  const from = aboveComments(start, indent, text);
  const gap = text.slice(0, from).endsWith('\n\n') ? '\n' : '';
  return changeAt(from, lines.join('') + gap, selected);
}

/** Adds a checkpoint to an activity: at the end of its checkpoints, or in a new list after its steps and loops. */
function addCheckpoint({ text, node, selected }: Insertion, checkpoint: Fields): TextChange | undefined {
  const members = valuesOf(node, text);
  const value = members.get('checkpoints')?.value;
  const list = value && contentOf(value);
  if (list === undefined) {
    const before = (members.get('loops') ?? members.get('steps') ?? [...members.values()].at(-1))?.pair;
    if (before === undefined) return undefined;
    if (node.name === 'BlockMapping') {
      const lines = block({ checkpoints: [checkpoint] });
      return insertLines({ text, after: before, column: columnOf(before.from, text), lines, selected });
    }
    const gap = gapBefore(before.from, text);
    return changeAt(before.to, `,${gap}"checkpoints": ${flow([checkpoint], gap)}`, selected);
  }
  const last = itemsOf(list).at(-1);
  if (last === undefined) return changeAt(list.from + 1, JSON.stringify(checkpoint), selected);
  if (list.name === 'BlockSequence') {
    const column = columnOf(last.prevSibling?.from ?? last.from, text);
    return insertLines({ text, after: last, column, lines: block([checkpoint]), selected });
  }
  const gap = gapBefore(last.from, text);
  return changeAt(last.to, `,${gap}${flow(checkpoint, gap)}`, selected);
}

function changeAt(from: number, insert: string, selected: string): TextChange {
  const quoted = JSON.stringify(selected).slice(1, -1);
  const start = from + insert.indexOf(quoted);
  return { from, insert, select: { from: start, to: start + quoted.length } };
}

/** Inserts whole lines after the last line of a node. */
function insertLines({
  text,
  after,
  column,
  lines,
  selected,
}: Pick<Insertion, 'text' | 'selected'> & {
  readonly after: Node;
  readonly column: number;
  readonly lines: readonly string[];
}): TextChange {
  const insert = lines.map((line) => `${' '.repeat(column)}${line}\n`).join('');
  const end = text.indexOf('\n', after.from + textOf(after, text).length);
  return end === -1 ? changeAt(text.length, `\n${insert}`, selected) : changeAt(end + 1, insert, selected);
}

/** Returns the text of a node without the blank lines after it. */
function textOf({ from, to }: Node, text: string): string {
  return text.slice(from, to).trimEnd();
}

function lineStart(offset: number, text: string): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function columnOf(offset: number, text: string): number {
  return offset - lineStart(offset, text);
}

/** Moves lines to the left, except the first one, which begins at its text. */
function unindented(text: string, column: number): readonly string[] {
  const [first = '', ...rest] = text.split('\n');
  return [first, ...rest.map((line) => (line.slice(0, column).trim() === '' ? line.slice(column) : line))];
}

/** Returns the start of the comments right above a line, because they are about what follows. */
function aboveComments(start: number, indent: string, text: string): number {
  let above = start;
  while (above > 0) {
    const before = lineStart(above - 1, text);
    if (!text.slice(before, above).startsWith(`${indent}#`)) break;
    above = before;
  }
  return above;
}

/** Returns what separates the items of a list or an object in braces: a line break with its indentation, or a space. */
function gapBefore(offset: number, text: string): string {
  const indent = text.slice(lineStart(offset, text), offset);
  return indent.trim() === '' ? `\n${indent}` : ' ';
}

/** Writes a value as JSON, which is YAML too. The last member of an object can be given as text. */
function flow(value: Value, gap: string, last?: string): string {
  const lines = JSON.stringify(value, null, 2).split('\n');
  if (last !== undefined) lines.splice(-2, 2, `${lines.at(-2)},`, `  ${last}`, '}');
  return gap === ' ' ? lines.map((line) => line.trim()).join(' ') : lines.join(gap);
}

/** Writes a value as lines of YAML. */
function block(value: Value): readonly string[] {
  if (typeof value === 'boolean') return [String(value)];
  // A text that could be read as something else is quoted.
  if (typeof value === 'string')
    return [/^(?!(?:true|false|null)$)[a-z][a-z\d-]*$/.test(value) ? value : JSON.stringify(value)];
  if (isList(value))
    return value.flatMap((item) => {
      const [first = '', ...rest] = block(item);
      return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  return Object.entries(value).flatMap(([key, member]) => {
    const lines = block(member);
    return typeof member === 'object'
      ? [`${key}:`, ...lines.map((line) => `  ${line}`)]
      : [`${key}: ${lines[0]}`];
  });
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
