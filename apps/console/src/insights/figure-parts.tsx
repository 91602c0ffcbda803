import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { textParams } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { formatEstimate, formatNumber } from '../components/format.ts';
import { ScrollTable } from '../components/lists.tsx';
import { EmptyState } from '../components/notice.tsx';
import type { InsightsReply } from '../contract.ts';
import { insightMessages as messages } from '../messages/insights.ts';
import { valueOf } from '../sessions/session-names.ts';
import { isErrorCode, reasonOf } from './reason.ts';

const maxRows = 10;

export interface Column<Row> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

/** Renders figures as a table, the largest first. The first column names the row. */
export function FigureTable<Row>({
  title,
  lead,
  empty,
  rows,
  columns,
  keyOf,
  first = maxRows,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly empty: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** How many rows are shown at first. */
  readonly first?: number;
}): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, first);
  return (
    <section className="stack">
      <div className="stack-tight">
        <h2>{title}</h2>
        {lead !== undefined && <p className="small muted">{lead}</p>}
      </div>
      {rows.length === 0 ? (
        <EmptyState title={empty} />
      ) : (
        <ScrollTable label={title}>
          <thead>
            <tr>
              {columns.map(({ name, isNumber }) => (
                <th key={name} scope="col" className={isNumber === true ? 'number' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ name, isNumber, cell }, at) =>
                  at === 0 ? (
                    <th key={name} scope="row" className="figure-name">
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={name} className={isNumber === true ? 'number' : undefined}>
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
      {shown.length < rows.length && (
        <div>
          <Button size="small" onClick={() => setIsWhole(true)}>
            {messages.more(rows.length - shown.length)}
          </Button>
        </div>
      )}
    </section>
  );
}

const route = getRouteApi('/insights');

/** Leads from a figure to the sessions behind it. A figure without sessions is only a number. */
export function Behind({
  value,
  tag,
  status,
  workflowId,
  label = messages.sessionsBehind,
}: {
  readonly value: number;
  readonly tag?: string;
  readonly status?: string;
  /** Absent: the figure is about all sessions on the page. */
  readonly workflowId?: string;
  readonly label?: string;
}): ReactNode {
  const search = route.useSearch();
  if (value === 0) return formatNumber(0);
  return (
    <Link
      to="/sessions"
      search={textParams({
        ...search,
        ...(workflowId !== undefined && { workflow: workflowId }),
        tag,
        status,
      })}
      title={`${formatNumber(value)}${label}`}
    >
      {formatNumber(value)}
      <span className="hidden-visually">{label}</span>
    </Link>
  );
}

/** Formats an estimate. */
export function tokens(count: number): string {
  return count === 0 ? messages.notCounted : messages.about(formatEstimate(count));
}

/** Renders a number with a bar that shows its share of the largest one. */
export function Bar({
  value,
  most,
  children,
}: {
  readonly value: number;
  readonly most: number;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <span className="figure-bar">
      <span>{children}</span>
      <span className="figure-bar-track" aria-hidden>
        <span style={{ width: `${(100 * value) / Math.max(most, Number.MIN_VALUE)}%` }} />
      </span>
    </span>
  );
}

type Names = InsightsReply['names'];

export function workflowNameIn(names: Names, workflowId: string): string {
  return valueOf(names, workflowId)?.name ?? workflowId;
}

/** Renders the name of an activity or of a step in it, and below it that of the workflow. */
export function Place({
  names,
  workflowId,
  activity,
  step = '',
}: {
  readonly names: Names;
  readonly workflowId: string;
  readonly activity: string;
  readonly step?: string;
}): ReactNode {
  const known = valueOf(names, workflowId);
  const parts = [
    (known && valueOf(known.activities, activity)) ?? activity,
    // A step workflow has no activities around its steps.
    step === activity ? '' : ((known && valueOf(known.steps, step)) ?? step),
  ].filter(Boolean);
  return (
    <span className="figure-place">
      <span title={[activity, step].filter(Boolean).join(' / ')}>{parts.join(': ') || messages.noPlace}</span>
      <span className="small muted" title={workflowId}>
        {workflowNameIn(names, workflowId)}
      </span>
    </span>
  );
}

/** Renders the meaning of an error code, or a missed criterion without the example for the agent. */
export function Reason({ criterion }: { readonly criterion: string }): ReactNode {
  if (!isErrorCode(criterion)) return <span title={criterion}>{reasonOf(criterion)}</span>;
  return (
    <span className="figure-place">
      {reasonOf(criterion)}
      <code className="small muted">{criterion}</code>
    </span>
  );
}
