import type { Run } from '../contract.ts';
import { toneOf } from '../graph/standing-tone.ts';
import { spanText } from '../parts/span-text.ts';
import { answerWord } from '../run/answer-words.ts';

/** One thing that is compared, as both runs have it. */
export interface CompareRow {
  readonly name: string;
  readonly first: string;
  readonly second: string;
}

const absent = '—';

/** Two runs in short. */
export function factRows(first: Run, second: Run): readonly CompareRow[] {
  const facts: Readonly<Record<string, (run: Run) => string>> = {
    Status: ({ row }) => row.outcome ?? row.status,
    Version: ({ row }) => row.version,
    Agent: ({ row }) => row.agent,
    'Stands at': ({ row }) => row.checkpoint ?? row.current ?? absent,
    'Time from first to last event': ({ row }) =>
      spanText((Date.parse(row.updatedAt) - Date.parse(row.createdAt)) / 1000),
    Events: ({ row }) => String(row.revision),
    'Refused calls': ({ story }) => String(story.refusals.length),
    Journal: ({ story: { chain } }) => (chain.ok ? 'verified' : `broken at ${chain.brokenAt}`),
  };
  return Object.entries(facts).map(([name, fact]) => ({ name, first: fact(first), second: fact(second) }));
}

/** What became of each activity. */
export function planRows(first: Run, second: Run): readonly CompareRow[] {
  return joined(
    first.story.plan.map((one) => [one.name, standingText(one)] as const),
    second.story.plan.map((one) => [one.name, standingText(one)] as const),
  );
}

/** The variables as they are now. */
export function variableRows(first: Run, second: Run): readonly CompareRow[] {
  const texts = ({ variables }: Run): readonly (readonly [string, string])[] =>
    Object.entries(variables).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return joined(texts(first), texts(second));
}

/** How each checkpoint was answered, each time it was reached. */
export function gateRows(first: Run, second: Run): readonly CompareRow[] {
  return joined(gateTexts(first), gateTexts(second));
}

function standingText({ standing, visits }: Run['story']['plan'][number]): string {
  return visits > 1 ? `${toneOf(standing)}, ${visits}×` : toneOf(standing);
}

function gateTexts({ story: { gates } }: Run): readonly (readonly [string, string])[] {
  const counts = new Map<string, number>();
  return gates.map(({ checkpoint, answered }) => {
    const count = (counts.get(checkpoint) ?? 0) + 1;
    counts.set(checkpoint, count);
    const name = count === 1 ? checkpoint : `${checkpoint}, time ${count}`;
    return [name, answered === undefined ? 'not answered' : answerWord(answered.answer)] as const;
  });
}

function joined(
  first: readonly (readonly [string, string])[],
  second: readonly (readonly [string, string])[],
): readonly CompareRow[] {
  const [left, right] = [new Map(first), new Map(second)];
  return [...new Set([...left.keys(), ...right.keys()])].map((name) => ({
    name,
    first: left.get(name) ?? absent,
    second: right.get(name) ?? absent,
  }));
}
