import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode } from 'react';
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { AuthenticityTags, SessionStatusTag, sessionTitle } from '../components/session-tags.tsx';
import { TimeSince } from '../components/time.tsx';
import type { SessionListRow } from '../contract.ts';
import { sessionMessages } from '../messages/sessions.ts';

const { list: messages } = sessionMessages;

/** In pixels. A row is measured once it is rendered. */
const estimatedHeight = 54;
/** How many rows before the end the next page is loaded. */
const nearEnd = 20;

interface SessionsListProps {
  readonly rows: readonly SessionListRow[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly onMore: () => void;
}

/** Renders a list of sessions of any length. It renders only the visible rows, and loads more near the end. */
export function SessionsList(props: SessionsListProps): ReactNode {
  const { rows, hasMore, isLoading } = props;
  return (
    <div
      className="runs"
      role="table"
      aria-label={messages.label}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
    >
      <div className="runs-head" role="rowgroup">
        <div className="runs-row" role="row" aria-rowindex={1}>
          {messages.columns.map((name) => (
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
        </div>
      </div>
      <VisibleRows {...props} />
      {isLoading && (
        <p className="runs-more" role="status">
          {messages.loadingMore}
        </p>
      )}
    </div>
  );
}

function VisibleRows({ rows, hasMore, isLoading, onMore }: SessionsListProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset(list.current?.offsetTop ?? 0), []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => estimatedHeight,
    overscan: 12,
    scrollMargin: offset,
    getItemKey: (at) => rows[at]?.sid ?? at,
  });
  const near = virtualizer.getVirtualItems();
  const last = near.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoading && last >= rows.length - nearEnd) onMore();
  }, [hasMore, isLoading, last, rows.length, onMore]);
  return (
    <div className="runs-body" role="rowgroup" ref={list} style={{ height: virtualizer.getTotalSize() }}>
      {near.map(({ index, start, key }) => {
        const row = rows[index];
        if (row === undefined) return null;
        return (
          <div
            key={key}
            className="runs-row"
            role="row"
            aria-rowindex={index + 2}
            data-index={index}
            ref={virtualizer.measureElement}
            style={{ transform: `translateY(${start - offset}px)` }}
          >
            <SessionCells row={row} />
          </div>
        );
      })}
    </div>
  );
}

const SessionCells = memo(function RunsListRow({ row }: { readonly row: SessionListRow }): ReactNode {
  const { sid, current, checkpoint, problem, progress, agent, updatedAt } = row;
  return (
    <>
      <span role="cell" className="runs-status">
        <SessionStatusTag run={row} />
      </span>
      <span role="cell" className="runs-name">
        <span className="row">
          <Link to="/runs/$sid" params={{ sid }}>
            {sessionTitle(row)}
          </Link>
          <AuthenticityTags run={row} />
        </span>
        <code className="muted">{sid}</code>
      </span>
      <span role="cell" className="runs-at">
        {problem ?? checkpoint ?? current ?? <span className="muted">{messages.beforeFirst}</span>}
      </span>
      <span role="cell" className="runs-progress">
        <progress max={Math.max(progress.of, 1)} value={progress.done} aria-label={messages.progress} />
        <span className="small muted">
          {progress.done}/{progress.of}
        </span>
      </span>
      <span role="cell" className="runs-agent">
        {agent}
      </span>
      <span role="cell" className="runs-when muted">
        <TimeSince at={updatedAt} />
      </span>
    </>
  );
});
