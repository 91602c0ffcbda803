import { diffArrays } from 'diff';
import type { DefinitionText } from '../contract.ts';
import { editorMessages } from '../messages/workflows.ts';

/** A file in the editor. A new file has an empty text and no digest. */
export interface Draft extends Omit<DefinitionText, 'digest'> {
  readonly digest: string | null;
}

const { draft: messages } = editorMessages;

const step = { id: 'first-step', title: messages.stepTitle, prompt: messages.stepPrompt };

/** Returns a draft with a minimal step workflow. Its notation depends on the file name: JSON for `.json`, otherwise YAML. */
export function newDraft(source: string, file: string): Draft {
  const about = {
    id: file.replace(/\.\w+$/, ''),
    name: messages.name,
    description: messages.description,
    version: '0.1.0',
  };
  const isJson = file.endsWith('.json');
  return {
    source,
    file,
    notation: isJson ? 'json' : 'yaml',
    text: isJson ? `${JSON.stringify({ ...about, steps: [step] }, null, 2)}\n` : yamlOf(about),
    digest: null,
    isWritable: true,
    files: [],
  };
}

function yamlOf({ id, ...about }: { readonly id: string; readonly [field: string]: string }): string {
  const [first = '', ...others] = linesOf(step);
  // Quote the id, because YAML would read some file names as numbers.
  const lines = [
    `id: ${JSON.stringify(id)}`,
    ...linesOf(about),
    'steps:',
    `  - ${first}`,
    ...others.map((line) => `    ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

function linesOf(fields: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(fields).map(([key, value]) => `${key}: ${value}`);
}

/** Returns whether a text still has places of a merge where both versions are kept. */
export function hasConflictMarks(text: string): boolean {
  return /^(<{7}|>{7}) /m.test(text);
}

type Versions = Readonly<Record<'mine' | 'theirs', string>>;

/**
 * Merges two texts that were both changed from a third one, line by line. A change that only one of them has is taken;
 * where both changed the same lines in different ways, both are kept between marks with their names. Returns the text, and
 * the number of such conflicts.
 */
export function mergeTexts(
  base: string,
  { mine, theirs }: Versions,
  names: Versions,
): { readonly text: string; readonly conflicts: number } {
  const lines = { base: base.split('\n'), mine: mine.split('\n'), theirs: theirs.split('\n') };
  const inMine = matches(lines.base, lines.mine);
  const inTheirs = matches(lines.base, lines.theirs);
  const merged: string[] = [];
  let conflicts = 0;
  let at = { base: 0, mine: 0, theirs: 0 };
  const anchors = lines.base.flatMap((_, index) => {
    const [one, other] = [inMine.get(index), inTheirs.get(index)];
    return one === undefined || other === undefined ? [] : [{ base: index, mine: one, theirs: other }];
  });
  const end = { base: lines.base.length, mine: lines.mine.length, theirs: lines.theirs.length };
  for (const next of [...anchors, end]) {
    const piece = {
      base: lines.base.slice(at.base, next.base),
      mine: lines.mine.slice(at.mine, next.mine),
      theirs: lines.theirs.slice(at.theirs, next.theirs),
    };
    const chosen = chosenOf(piece);
    if (chosen === undefined) {
      conflicts += 1;
      merged.push(
        `<<<<<<< ${names.mine}`,
        ...piece.mine,
        '=======',
        ...piece.theirs,
        `>>>>>>> ${names.theirs}`,
      );
    } else merged.push(...chosen);
    const line = lines.base[next.base];
    if (next !== end && line !== undefined) merged.push(line);
    at = { base: next.base + 1, mine: next.mine + 1, theirs: next.theirs + 1 };
  }
  return { text: merged.join('\n'), conflicts };
}

type Piece = Readonly<Record<'base' | 'mine' | 'theirs', readonly string[]>>;

/** The lines of the version that changed a piece, or `undefined` if both did in different ways. */
function chosenOf({ base, mine, theirs }: Piece): readonly string[] | undefined {
  if (isSame(mine, theirs) || isSame(theirs, base)) return mine;
  return isSame(mine, base) ? theirs : undefined;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}

/** Returns, for lines of a text, the same line in another text. */
function matches(base: readonly string[], other: readonly string[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  let [at, there] = [0, 0];
  for (const { count, added, removed } of diffArrays([...base], [...other])) {
    if (!added && !removed) for (let line = 0; line < count; line += 1) found.set(at + line, there + line);
    if (!added) at += count;
    if (!removed) there += count;
  }
  return found;
}
