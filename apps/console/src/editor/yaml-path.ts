/** Where a place in a text stands: the keys that lead there, `[]` for an item of a list, and the key on its own line. */
export interface TextPath {
  readonly path: readonly string[];
  /** Absent where the key is what is being written. */
  readonly key?: string;
}

const linePattern = /^(\s*)((?:- +)*)(?:(["']?)([\w$@.-]+)\3\s*:(?=\s|$))?/;

interface Line {
  /** Column of what follows the dashes. */
  readonly column: number;
  /** Columns of its dashes. */
  readonly dashes: readonly number[];
  readonly key: string | undefined;
}

/** The path at the end of a YAML text that goes on after it; told by indentation, for what is being written is seldom valid. */
export function yamlPath(textBefore: string): TextPath {
  const lines = textBefore.split('\n');
  const last = read(lines.at(-1) ?? '');
  const path: string[] = [];
  let column = climb(last, path);
  for (const text of lines.slice(0, -1).toReversed()) {
    if (!/^\s*(#|$)/.test(text)) column = pass(read(text), column, path);
  }
  return { path, ...(last.key !== undefined && { key: last.key }) };
}

/** Takes in a line above: what stands over the column reached so far is above it in the path. */
function pass(line: Line, column: number, path: string[]): number {
  // The items of a list may stand as far left as its key.
  const isOver = line.column < column || (path[0] === '[]' && line.column === column);
  if (line.key !== undefined && isOver) path.unshift(line.key);
  else if (line.column !== column || line.dashes.length === 0) return column;
  return climb(line, path);
}

/** Past the dashes of a line; returns the column it then stands at. */
function climb({ dashes, column }: Line, path: string[]): number {
  for (const _ of dashes) path.unshift('[]');
  return dashes[0] ?? column;
}

function read(text: string): Line {
  const [, indent = '', marks = '', , key] = linePattern.exec(text) ?? [];
  const dashes = [...marks].flatMap((char, at) => (char === '-' ? [indent.length + at] : []));
  return { column: indent.length + marks.length, dashes, key };
}
