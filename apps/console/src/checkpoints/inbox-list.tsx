import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Hourglass, PencilLine, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { memo, useEffect, useMemo, useRef } from 'react';
import { workflowName } from '../components/tags.tsx';
import { TimeSince, TimeUntil } from '../components/time.tsx';
import type { CheckpointListRow } from '../contract/index.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';
import type { InboxView } from './inbox-order.ts';
import { checkpointKey, groupKey } from './inbox-order.ts';
import { useDraftKeys, useOutbox } from './outbox.ts';

const { list: messages } = checkpointMessages;

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
