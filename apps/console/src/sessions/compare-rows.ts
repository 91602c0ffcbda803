import { formatDuration } from '../components/format.ts';
import { toneOf } from '../components/tags.tsx';
import type { SessionDetail } from '../contract/index.ts';
import { answerText } from '../messages/checkpoints.ts';
import { commonMessages } from '../messages/common.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { sessionNames } from './session-names.ts';

const { compare: messages } = sessionMessages;

/** What a table of the comparison says about both sessions. */
export interface CompareRow {
  readonly name: string;
  readonly first: string;
  readonly second: string;
  /** What the last column says; by default, whether the two differ. */
  readonly mark?: string;
}

type NamedText = readonly [name: string, text: string];

/** Returns the tables of a comparison, without those that are empty. */
export function compareTables(
  first: SessionDetail,
  second: SessionDetail,
): readonly { readonly title: string; readonly rows: readonly CompareRow[] }[] {
  const { tables } = messages;
  return [
    { title: tables.facts, rows: factRows(first, second) },
    { title: tables.plan, rows: pairRows(planTexts, first, second) },
    { title: tables.times, rows: timeRows(first, second) },
    { title: tables.checkpoints, rows: pairRows(checkpointTexts, first, second) },
    { title: tables.variables, rows: pairRows(variableTexts, first, second) },
  ].filter(({ rows }) => rows.length > 0);
}

function factRows(first: SessionDetail, second: SessionDetail): readonly CompareRow[] {
  const { facts } = messages;
  const rows: Readonly<Record<string, (session: SessionDetail) => string>> = {
    [facts.status]: ({ row }) => row.ended?.name ?? row.outcome ?? sessionMessages.status[row.status],
    [facts.version]: ({ row }) => row.version,
    [facts.agent]: ({ row }) => row.agent,
    [facts.current]: ({ row: { checkpoint, current }, outline }) => {
      const names = sessionNames(outline);
      if (checkpoint !== undefined) return names.checkpoint(checkpoint);
      return current === undefined ? commonMessages.none : names.activity(current);
    },
    [facts.duration]: (session) => formatDuration(secondsOf(session)),
    [facts.events]: ({ row }) => String(row.revision),
    [facts.refused]: ({ history }) => String(history.refusals.length),
    [facts.journal]: ({ history: { chain } }) => (chain.ok ? facts.intact : facts.damaged(chain.brokenAt)),
  };
  return Object.entries(rows).map(([name, fact]) => ({
    name,
    first: fact(first),
    second: fact(second),
    ...(name === facts.duration && { mark: longerText(secondsOf(first), secondsOf(second)) }),
  }));
}

function secondsOf({ row }: SessionDetail): number {
  return (Date.parse(row.updatedAt) - Date.parse(row.createdAt)) / 1000;
}

function planTexts({ history }: SessionDetail): readonly NamedText[] {
  return history.plan.map(({ name, status, visits }) => [
    name,
    messages.visits(commonMessages.state[toneOf(status)], visits),
  ]);
}

/** Returns the rows for the time that each activity took. Times always differ, so only one that is much longer is marked. */
function timeRows(first: SessionDetail, second: SessionDetail): readonly CompareRow[] {
  const others = new Map(second.history.plan.map((one) => [one.id, one]));
  const mine = new Set(first.history.plan.map(({ id }) => id));
  const more = second.history.plan.filter(({ id }) => !mine.has(id));
  return [...first.history.plan, ...more]
    .map((one) => ({ one: mine.has(one.id) ? one : undefined, other: others.get(one.id), name: one.name }))
    .filter(({ one, other }) => one?.seconds !== undefined || other?.seconds !== undefined)
    .map(({ one, other, name }) => ({
      name,
      first: timeText(one),
      second: timeText(other),
      mark: longerText(one?.seconds, other?.seconds),
    }));
}

type Planned = SessionDetail['history']['plan'][number];

function timeText({ seconds, waited = 0 }: Partial<Pick<Planned, 'seconds' | 'waited'>> = {}): string {
  if (seconds === undefined) return commonMessages.none;
  return waited === 0
    ? formatDuration(seconds)
    : messages.withWait(formatDuration(seconds), formatDuration(waited));
}

/** Says which session took at least twice as long, and a second more. */
function longerText(one: number | undefined, other: number | undefined): string {
  if (one === undefined || other === undefined) return '';
  const isMuch = Math.abs(one - other) >= 1 && Math.max(one, other) >= 2 * Math.min(one, other);
  if (!isMuch) return '';
  return one > other ? messages.longer.first : messages.longer.second;
}

function variableTexts({ variables }: SessionDetail): readonly NamedText[] {
  return Object.entries(variables).map(([name, value]) => [name, JSON.stringify(value)]);
}

/** Returns the answers to each checkpoint, one for each time it was reached. */
function checkpointTexts({ history: { checkpoints }, outline }: SessionDetail): readonly NamedText[] {
  const names = sessionNames(outline);
  const counts = new Map<string, number>();
  return checkpoints.map(({ checkpoint, answered }) => {
    const count = (counts.get(checkpoint) ?? 0) + 1;
    counts.set(checkpoint, count);
    const name = messages.again(names.checkpoint(checkpoint), count);
    const answer = answered && answerText(answered.answer, names.options(checkpoint));
    return [name, answer ?? messages.notAnswered] as const;
  });
}

function pairRows(
  textsOf: (session: SessionDetail) => readonly NamedText[],
  first: SessionDetail,
  second: SessionDetail,
): readonly CompareRow[] {
  const [left, right] = [new Map(textsOf(first)), new Map(textsOf(second))];
  return [...new Set([...left.keys(), ...right.keys()])].map((name) => ({
    name,
    first: left.get(name) ?? commonMessages.none,
    second: right.get(name) ?? commonMessages.none,
  }));
}
