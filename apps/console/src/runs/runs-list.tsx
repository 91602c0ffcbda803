import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode } from 'react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RunRow } from '../contract.ts';
import { RunsListRow } from './runs-list-row.tsx';

const columns = ['Status', 'Workflow and run', 'Stands at', 'Progress', 'Agent', 'Changed'];

/** Pixels; a row is measured once it is there. */
const estimatedHeight = 54;
/** Rows before the end at which more are asked for. */
const nearEnd = 20;

interface RunsListProps {
  readonly rows: readonly RunRow[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly onMore: () => void;
}

/** A list of runs of any length: only the rows near the window exist, and more are asked for as it nears its end. */
export function RunsList(props: RunsListProps): ReactNode {
  const { rows, hasMore, isLoading } = props;
  return (
    <div className="runs" role="table" aria-label="Runs" aria-rowcount={hasMore ? -1 : rows.length + 1}>
      <div className="runs-head" role="rowgroup">
        <div className="runs-row" role="row" aria-rowindex={1}>
          {columns.map((name) => (
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
        </div>
      </div>
      <NearRows {...props} />
      {isLoading && (
        <p className="runs-more" role="status">
          Loading more
        </p>
      )}
    </div>
  );
}

function NearRows({ rows, hasMore, isLoading, onMore }: RunsListProps): ReactNode {
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
            <RunsListRow row={row} />
          </div>
        );
      })}
    </div>
  );
}
