import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Hourglass, PencilLine, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { memo, useEffect, useMemo, useRef } from 'react';
import { workflowName, sessionTitle } from '../components/tags.tsx';
import { TimeSince, TimeUntil } from '../components/time.tsx';
import type { CheckpointListRow } from '../contract/index.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';
import { checkpointKey, useDraftKeys, useOutbox } from './outbox.ts';

const { list: messages } = checkpointMessages;

/** How the list of checkpoints is shown. It is in the address of the page. */
export interface InboxView {
  readonly order?: string;
  readonly group?: string;
  readonly workflow?: string;
  /** `person`: only those that need a person. */
  readonly needs?: string;
  readonly text?: string;
}

export const orders = ['urgent', 'newest'] as const;
export const groupings = ['workflow', 'folder', 'agent'] as const;

/** A line of the list: a checkpoint, or the heading of a group. */
type Line =
  | { readonly kind: 'row'; readonly row: CheckpointListRow }
  | { readonly kind: 'group'; readonly name: string; readonly count: number };

/** Rows have room for two lines of the title above two others, so that nothing moves if a title is long. */
const heights = { row: 100, group: 34 } as const;

/** Renders the list of checkpoints. Only the visible part of a long list is in the page. */
export function InboxList({
  rows,
  view,
  gone,
  shown,
  isChosen,
}: {
  readonly rows: readonly CheckpointListRow[];
  readonly view: InboxView;
  /** The keys of the rows that no longer wait. */
  readonly gone: ReadonlySet<string>;
  readonly shown: CheckpointListRow | undefined;
  /** Whether the person chose the one that is shown. */
  readonly isChosen: boolean;
}): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => linesOf(rows, view), [rows, view]);
  const virtualizer = useVirtualizer({
    count: lines.length,
    estimateSize: (at) => heights[lines[at]?.kind ?? 'row'],
    getScrollElement: () => scroller.current,
    getItemKey: (at) => {
      const line = lines[at];
      return line === undefined ? at : line.kind === 'group' ? `group ${line.name}` : checkpointKey(line.row);
    },
    overscan: 8,
  });
  const shownKey = shown === undefined ? '' : checkpointKey(shown);
  const shownAt = lines.findIndex((line) => line.kind === 'row' && checkpointKey(line.row) === shownKey);
  useEffect(() => {
    if (isChosen && shownAt !== -1) virtualizer.scrollToIndex(shownAt, { align: 'auto' });
  }, [isChosen, shownAt, virtualizer]);
  const twins = useMemo(() => sharedTitles(rows), [rows]);
  const drafts = useDraftKeys();
  const states = new Map(useOutbox().map((answer) => [checkpointKey(answer), answer.state.kind]));
  return (
    <div className="inbox-scroller" ref={scroller} tabIndex={-1}>
      <ul style={{ height: virtualizer.getTotalSize() }} aria-label={messages.label}>
        {virtualizer.getVirtualItems().map(({ key, index, start, size }) => {
          const line = lines[index];
          if (line === undefined) return null;
          const style = { height: size, transform: `translateY(${start}px)` };
          if (line.kind === 'group')
            return (
              <li key={key} className="inbox-group" style={style}>
                <span>{line.name}</span> <span className="muted">{line.count}</span>
              </li>
            );
          const rowKey = checkpointKey(line.row);
          const state = states.get(rowKey);
          return (
            <li key={key} style={style}>
              <Row
                row={line.row}
                view={view}
                isShown={rowKey === shownKey}
                isNamed={twins.has(titleOf(line.row))}
                hasDraft={drafts.has(rowKey)}
                state={gone.has(rowKey) && state !== 'held' ? 'gone' : state}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function titleOf({ session, name }: CheckpointListRow): string {
  return session.subject ?? name;
}

/** Returns the titles that several rows have. */
function sharedTitles(rows: readonly CheckpointListRow[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const title of rows.map(titleOf)) (seen.has(title) ? shared : seen).add(title);
  return shared;
}

function linesOf(rows: readonly CheckpointListRow[], view: InboxView): readonly Line[] {
  const groupOf = groupKey(view);
  if (groupOf === undefined) return rows.map((row) => ({ kind: 'row', row }));
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(groupOf(row), (counts.get(groupOf(row)) ?? 0) + 1);
  return rows.flatMap((row, at): readonly Line[] => {
    const name = groupOf(row);
    const before = rows[at - 1];
    const isFirst = before === undefined || groupOf(before) !== name;
    const line: Line = { kind: 'row', row };
    return isFirst ? [{ kind: 'group', name, count: counts.get(name) ?? 0 }, line] : [line];
  });
}

const Row = memo(function Row({
  row,
  view,
  isShown,
  isNamed,
  hasDraft,
  state,
}: {
  readonly row: CheckpointListRow;
  readonly view: InboxView;
  readonly isShown: boolean;
  /** Another row has the same title, so it shows the id of its session. */
  readonly isNamed: boolean;
  /** Somebody began to answer it in this browser. */
  readonly hasDraft: boolean;
  readonly state: string | undefined;
}): ReactNode {
  const { sid, name, activity, session, yieldedAt, needsHuman, timerEndsAt } = row;
  const isOpen = state !== 'gone' && state !== 'sent';
  return (
    <Link
      to="/checkpoints"
      search={{ ...view, sid }}
      replace={isShown}
      className="inbox-row focus-inside"
      aria-current={isShown ? 'true' : undefined}
      data-gone={!isOpen || undefined}
      resetScroll={false}
    >
      <span className="inbox-name clamped">{titleOf(row)}</span>
      <span className="inbox-when one-line small muted">
        {state === undefined ? <TimeSince at={yieldedAt} isShort /> : messages.states(state)}
      </span>
      <span className="inbox-second one-line small muted">
        <span className="inbox-where one-line">
          {session.subject === undefined ? workflowName(session) : name} · {activity}
        </span>
        <span className="inbox-marks">
          {timerEndsAt !== undefined && isOpen && (
            <span className="tag" data-tone="waits" title={messages.timer}>
              <Hourglass size={13} aria-hidden />
              <span>{messages.urgent}</span>
              <span className="hidden-visually">{messages.timer}</span>
              <TimeUntil at={timerEndsAt} />
            </span>
          )}
          {needsHuman && isOpen && <UserRound size={14} aria-label={messages.needsPerson} />}
        </span>
      </span>
      <span className="inbox-second one-line small muted">
        <span className="inbox-where one-line">
          {isNamed && messages.session(sid.slice(0, 8))}
          {messages.agent(session.agent)}
        </span>
        {hasDraft && state === undefined && (
          <span className="inbox-marks">
            <PencilLine size={13} aria-hidden />
            {messages.draft}
          </span>
        )}
      </span>
    </Link>
  );
});

/** Returns the rows that match a view, in its order, the rows of each group together. */
export function arrange(rows: readonly CheckpointListRow[], view: InboxView): readonly CheckpointListRow[] {
  const found = rows.filter((row) => matches(row, view)).toSorted(comparisons[orderOf(view)]);
  const groupOf = groupKey(view);
  if (groupOf === undefined) return found;
  const groups = new Map<string, CheckpointListRow[]>();
  for (const row of found) {
    const group = groups.get(groupOf(row));
    if (group === undefined) groups.set(groupOf(row), [row]);
    else group.push(row);
  }
  return [...groups.values()].flat();
}

type Order = 'oldest' | (typeof orders)[number];

function orderOf({ order }: InboxView): Order {
  return orders.find((one) => one === order) ?? 'oldest';
}

const comparisons: Readonly<Record<Order, (one: CheckpointListRow, other: CheckpointListRow) => number>> = {
  oldest: byAge,
  newest: (one, other) => byAge(other, one),
  urgent: (one, other) => compare(urgency(one), urgency(other)) || byAge(one, other),
};

function byAge(one: CheckpointListRow, other: CheckpointListRow): number {
  return compare(one.yieldedAt, other.yieldedAt) || compare(one.sid, other.sid);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Returns whether an agent may soon answer in place of a person. */
export function isUrgent({ timerEndsAt }: CheckpointListRow): boolean {
  return timerEndsAt !== undefined;
}

/** A timer that ends soon is urgent. Without one, those that only a person can answer come first. */
function urgency({ timerEndsAt, needsHuman }: CheckpointListRow): string {
  return timerEndsAt ?? (needsHuman ? 'x' : 'y');
}

function matches(row: CheckpointListRow, { workflow, needs, text = '' }: InboxView): boolean {
  if (workflow !== undefined && row.session.workflowId !== workflow) return false;
  if (needs === 'person' && !row.needsHuman) return false;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const { session } = row;
  const all = [
    row.name,
    row.id,
    row.activity,
    sessionTitle(session),
    workflowName(session),
    session.workflowId,
    session.agent,
    session.project,
    row.sid,
  ]
    .join('\n')
    .toLowerCase();
  return words.every((word) => all.includes(word));
}

/** Returns the function that names the group of a row, or `undefined` if the view has no groups. */
function groupKey({ group }: InboxView): ((row: CheckpointListRow) => string) | undefined {
  switch (groupings.find((one) => one === group)) {
    case 'workflow':
      return ({ session }) => workflowName(session);
    case 'folder':
      return ({ session }) => session.project ?? '—';
    case 'agent':
      return ({ session }) => session.agent;
    case undefined:
      return undefined;
  }
}

/** The list as it is on the screen. */
export interface StableList {
  readonly rows: readonly CheckpointListRow[];
  /** The keys of rows that no longer wait. They keep their place until the person refreshes the list. */
  readonly gone: ReadonlySet<string>;
  /** Rows that came since, and are not in the list yet. */
  readonly fresh: readonly CheckpointListRow[];
}

export const emptyList: StableList = { rows: [], gone: new Set(), fresh: [] };

/**
 * Returns the list after the server's rows changed. No row moves: rows that no longer wait are only marked, and new rows
 * are held back, so that nothing appears under the pointer. New rows enter an empty list at once.
 */
export function keepStable(list: StableList, waiting: readonly CheckpointListRow[]): StableList {
  const byKey = new Map(waiting.map((row) => [checkpointKey(row), row]));
  const shown = new Set(list.rows.map(checkpointKey));
  const fresh = waiting.filter((row) => !shown.has(checkpointKey(row)));
  if (list.rows.length === 0) return { rows: fresh, gone: new Set(), fresh: [] };
  return {
    rows: list.rows.map((row) => byKey.get(checkpointKey(row)) ?? row),
    gone: new Set([...shown].filter((key) => !byKey.has(key))),
    fresh,
  };
}

/** Returns the list without the rows that no longer wait, and with the new ones. */
export function refreshList({ rows, gone, fresh }: StableList): StableList {
  const left = rows.filter((row) => !gone.has(checkpointKey(row)));
  return { rows: [...left, ...fresh], gone: new Set(), fresh: [] };
}
