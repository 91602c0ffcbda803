import { isDeepStrictEqual } from 'node:util';
import type { StateStore } from '@workflowlookup/storage';
import { expect } from 'vitest';
import { printFigures } from '../../../../test/support/print-figures.ts';
import type { RawDatabase } from './edits.ts';
import { chosenEdits, editAtRandom } from './edits.ts';
import type { FilledStore } from '../support/filled-store.ts';
import { problemsIn, served } from '../support/filled-store.ts';

/** A copy of the filled database. */
interface Copy {
  readonly raw: RawDatabase;
  /** The store of a server with the keys. */
  open(): StateStore;
  dispose(): Promise<void>;
}

/** A filled database, with the lines that servers wrote to their anchor. */
export interface Original {
  readonly filled: FilledStore;
  copy(): Promise<Copy>;
}

/** The result of changes: reported by `verify`, refused, or without any effect. */
interface Outcome {
  readonly problems: readonly string[];
  readonly isSame: boolean;
  /** The calls that a server answers differently. */
  readonly differs: readonly string[];
}

async function outcomeOf(copy: Copy, { tokens, anchor }: FilledStore, expected: object): Promise<Outcome> {
  const store = copy.open();
  try {
    const problems = await problemsIn(store, anchor);
    if (problems.length > 0) return { problems, isSame: false, differs: [] };
    const answers = await served(store, tokens);
    const names = new Set([...Object.keys(answers), ...Object.keys(expected)]);
    const differs = [...names].filter(
      (name) => !isDeepStrictEqual(answers[name], (expected as Record<string, unknown>)[name]),
    );
    return { problems, isSame: differs.length === 0, differs };
  } finally {
    await store.close().catch(() => undefined);
  }
}

async function expectedOf({ copy, filled }: Original): Promise<object> {
  const untouched = await copy();
  const store = untouched.open();
  expect(await problemsIn(store, filled.anchor)).toEqual([]);
  const answers = await served(store, filled.tokens);
  await store.close();
  await untouched.dispose();
  return answers;
}

/** Makes random changes, each to a copy, and returns those that a server serves and `verify` misses. */
export async function changeAtRandom(
  original: Original,
  rounds: number,
  name: string,
): Promise<readonly string[]> {
  const expected = await expectedOf(original);
  const unseen: string[] = [];
  let named = 0;
  let lastCalls = 0;
  for (let round = 0; round < rounds;) {
    const copy = await original.copy();
    const what = await editAtRandom(copy.raw);
    if (what !== undefined) {
      round += 1;
      const { problems, isSame, differs } = await outcomeOf(copy, original.filled, expected);
      if (problems.length > 0) named += 1;
      else if (isOfLastCalls(what, differs)) lastCalls += 1;
      else if (!isSame) unseen.push(`${what} changes ${differs.slice(0, 3).join(', ')}`);
    }
    await copy.dispose();
  }
  printFigures(`random writes to ${name} without keys`, {
    rounds,
    named,
    'last calls': lastCalls,
    'without effect': rounds - named - lastCalls - unseen.length,
  });
  return unseen;
}

/**
 * Returns whether calls are missing that no event refers to yet: deleted, or moved to a session that does not exist. A crash
 * can lose the same calls, so `verify` can't report it. Deliberate changes prove that it reports every other missing call.
 */
function isOfLastCalls(what: string, differs: readonly string[]): boolean {
  return (
    /^(?:delete: calls|[\w ]+: calls\.sid of)/.test(what) &&
    differs.every((name) => / (?:trace|history)$/.test(name))
  );
}

/** Makes deliberate changes, most without an anchor, and returns those that `verify` misses. */
export async function changeOnPurpose(
  original: Original,
  name: string,
  every = 1,
): Promise<readonly string[]> {
  const unseen: string[] = [];
  const edits = chosenEdits.filter(([, , more], index) =>
    more?.only === undefined ? index % every === 0 : more.only === name,
  );
  for (const [what, sql, more] of edits) {
    const copy = await original.copy();
    for (const statement of [sql].flat()) await copy.raw.run(statement);
    const store = copy.open();
    const problems = await problemsIn(store, more?.withAnchor === true ? original.filled.anchor : undefined);
    if (problems.length === 0) unseen.push(what);
    await store.close().catch(() => undefined);
    await copy.dispose();
  }
  printFigures(`deliberate writes to ${name} without keys`, {
    edits: edits.length,
    named: edits.length,
  });
  return unseen;
}
