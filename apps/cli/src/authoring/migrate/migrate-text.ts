import { readDefinition } from '@workflowlookup/core';
import type { Issue, Json, JsonObject } from '@workflowlookup/schema';
import { applyEdits, isJsonObject, readValue } from '@workflowlookup/schema';
import { applyChanges } from './apply-changes.ts';
import type { Change, Path } from './change.ts';
import { changesOfConfirmations } from './confirmations.ts';
import { changesOfFunctions } from './functions.ts';
import { changesOfFields } from './renamed-fields.ts';

/** What became of a document. */
export interface Migration {
  readonly text: string;
  /** What was changed, in the order it was. */
  readonly changes: readonly string[];
  /** What keeps it from being served, or its criteria from being used. */
  readonly left: readonly Issue[];
}

/** Each looks at what the ones before it left. */
const rules: readonly ((document: JsonObject) => Iterable<Change>)[] = [
  changesOfFields,
  changesOfFunctions,
  changesOfConfirmations,
];

/** Mending one thing shows another, so it is looked again; this often at most. */
const maxRounds = 10;

/** Brings the text of a step workflow to the current form, as far as that can be done without its author. */
export async function migrateText(text: string, format: 'json' | 'yaml'): Promise<Migration> {
  const draft = { text, changes: [] as string[] };
  // First, so that a slip does not hide the property that was meant.
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

/** What lint knows how to put right. */
function mend(draft: Draft, issues: readonly Issue[]): void {
  const fixable = issues.filter(({ edits }) => edits !== undefined);
  draft.text = applyEdits(
    draft.text,
    fixable.flatMap(({ edits = [] }) => edits),
  );
  draft.changes.push(...fixable.map(({ message, suggestion }) => `${message}: ${suggestion ?? 'put right'}`));
}

/** Properties that nothing reads become notes of the author, which are kept and ignored. */
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

/** A pointer as keys and indexes, which only the document can tell apart. */
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
