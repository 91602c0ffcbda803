import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

/**
 * The path to a position in a text. The path consists of keys and of `[]` for list items; the key on the line of the
 * position is separate.
 */
interface CursorPath {
  readonly path: readonly string[];
  /** Absent while the user is typing the key. */
  readonly key?: string;
}

const linePattern = /^(\s*)((?:- +)*)(?:(["']?)([\w$@.-]+)\3\s*:(?=\s|$))?/;

interface Line {
  /** The column after the dashes. */
  readonly column: number;
  readonly dashes: readonly number[];
  readonly key: string | undefined;
}

/**
 * Returns the path at the end of a YAML text. It uses only the indentation, because a text that is being edited is
 * seldom valid.
 */
export function yamlPath(textBefore: string): CursorPath {
  const lines = textBefore.split('\n');
  const last = parseLine(lines.at(-1) ?? '');
  const path: string[] = [];
  let column = addListItems(last, path);
  for (const text of lines.slice(0, -1).toReversed()) {
    if (!/^\s*(#|$)/.test(text)) column = addParent(parseLine(text), column, path);
  }
  return { path, ...(last.key !== undefined && { key: last.key }) };
}

/**
 * Adds the key of a line above the cursor to the path if the line is a parent. Returns the column of the outermost
 * parent so far.
 */
function addParent(line: Line, column: number, path: string[]): number {
  // YAML allows list items at the same indentation as their key.
  const isOver = line.column < column || (path[0] === '[]' && line.column === column);
  if (line.key !== undefined && isOver) path.unshift(line.key);
  else if (line.column !== column || line.dashes.length === 0) return column;
  return addListItems(line, path);
}

/** Adds the list items of a line to the path. Returns the column of the outermost one. */
function addListItems({ dashes, column }: Line, path: string[]): number {
  for (const _ of dashes) path.unshift('[]');
  return dashes[0] ?? column;
}

function parseLine(text: string): Line {
  const [, indent = '', marks = '', , key] = linePattern.exec(text) ?? [];
  const dashes = [...marks].flatMap((char, at) => (char === '-' ? [indent.length + at] : []));
  return { column: indent.length + marks.length, dashes, key };
}

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

export function jsonPath(state: EditorState, at: number): CursorPath {
  const path: string[] = [];
  let key: string | undefined;
  let node: Node | null = syntaxTree(state).resolveInner(at, -1);
  if (node.name === 'PropertyName' && node.parent?.name === 'Property') node = node.parent.parent;
  for (; node !== null; node = node.parent) {
    if (node.name === 'Array') path.unshift('[]');
    if (node.name !== 'Property') continue;
    const name = nameOf(state, node);
    // A value that is not an object or a list yet belongs to the key before it.
    if (path.length === 0 && key === undefined && !isInside(node, at)) key = name;
    else path.unshift(name);
  }
  return { path, ...(key !== undefined && { key }) };
}

function isInside(property: Node, at: number): boolean {
  const value = property.lastChild;
  return (value?.name === 'Object' || value?.name === 'Array') && at > value.from;
}

function nameOf(state: EditorState, property: Node): string {
  const name = property.getChild('PropertyName');
  if (name === null) return '';
  return state.sliceDoc(name.from, name.to).replaceAll('"', '');
}
