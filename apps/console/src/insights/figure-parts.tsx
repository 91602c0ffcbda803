import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { textParams } from '../api/client.ts';
import { Button } from '../components/controls.tsx';
import { formatEstimate, formatNumber } from '../components/format.ts';
import type { Column } from '../components/lists.tsx';
import { DataTable } from '../components/lists.tsx';
import { EmptyState } from '../components/notice.tsx';
import type { InsightsReply } from '../contract/index.ts';
import { insightMessages as messages } from '../messages/insights.ts';
import { valueOf } from '../sessions/session-names.ts';
import { isErrorCode, reasonOf } from './figure-title.tsx';

const maxRows = 10;

/** A column of figures: anything, numbers, or numbers that lead to the sessions behind them. */
export type FigureColumn<Row> =
  | Column<Row>
  | ({
      readonly name: string;
      /** Each number has a bar that shows its share of the largest one. */
      readonly hasBar?: boolean;
    } & (
      | { readonly of: (row: Row) => number; readonly format?: (value: number) => string }
      | { readonly behind: (row: Row) => BehindProps }
    ));

/** Renders figures as a table, the largest first. */
export function FigureTable<Row>({
  texts: { title, lead, empty },
  rows,
  keyOf,
  columns,
  first = maxRows,
}: {
  readonly texts: {
    readonly title: string;
    readonly lead?: ReactNode;
    /** What to say if there are no figures. By default, nothing is rendered then. */
    readonly empty?: string;
  };
  readonly rows: readonly Row[];
  /** Identifies a row while its figures change. */
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly FigureColumn<Row>[];
  /** How many rows are shown at first. */
  readonly first?: number;
}): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, first);
  if (rows.length === 0 && empty === undefined) return null;
  return (
    <section className="stack">
      <div className="stack-tight">
        <h2>{title}</h2>
        {lead !== undefined && <p className="small muted">{lead}</p>}
      </div>
      {empty !== undefined && rows.length === 0 ? (
        <EmptyState title={empty} />
      ) : (
        <DataTable
          label={title}
          className="figures"
          rows={shown}
          columns={columns.map((column) => columnOf(column, rows))}
          keyOf={keyOf}
        />
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

function columnOf<Row>(column: FigureColumn<Row>, rows: readonly Row[]): Column<Row> {
  if ('cell' in column) return column;
  const { name, hasBar = false } = column;
  const numberOf = 'of' in column ? column.of : (row: Row) => column.behind(row).value;
  const figure = (row: Row): ReactNode =>
    'of' in column ? (column.format ?? formatNumber)(column.of(row)) : <Behind {...column.behind(row)} />;
  if (!hasBar) return { name, isNumber: true, cell: figure };
  const most = Math.max(Number.MIN_VALUE, ...rows.map(numberOf));
  return {
    name,
    isNumber: true,
    cell: (row) => (
      <span className="figure-bar">
        <span>{figure(row)}</span>
        <span className="figure-bar-track" aria-hidden>
          <span style={{ width: `${(100 * numberOf(row)) / most}%` }} />
        </span>
      </span>
    ),
  };
}

const route = getRouteApi('/insights');

interface BehindProps {
  readonly value: number;
  readonly tag?: string;
  readonly status?: string;
  /** Absent: the figure is about all sessions on the page. */
  readonly workflowId?: string | undefined;
  readonly label?: string;
}

/** Leads from a figure to the sessions behind it. A figure without sessions is only a number. */
export function Behind({
  value,
  tag,
  status,
  workflowId,
  label = messages.sessionsBehind,
}: BehindProps): ReactNode {
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

/** Counts the sessions of a row. */
export function sessionsOf(row: Omit<BehindProps, 'value'> & { readonly sessions: number }): BehindProps {
  return { ...row, value: row.sessions };
}

/** Counts the refused calls of a row. */
export function refusalsOf(row: {
  readonly refused: number;
  readonly refusedTag: string;
  readonly workflowId?: string;
}): BehindProps {
  return { ...row, value: row.refused, tag: row.refusedTag, label: messages.refusedBehind };
}

/** Formats an estimate. */
export function tokens(count: number): string {
  return count === 0 ? messages.notCounted : messages.about(formatEstimate(count));
}

type Names = InsightsReply['names'];

export function workflowNameIn(names: Names, workflowId: string): string {
  return valueOf(names, workflowId)?.name ?? workflowId;
}

/** Renders what a row is about, and below it the name of the workflow. */
export function InWorkflow({
  names,
  workflowId,
  more = '',
  children,
}: {
  readonly names: Names;
  readonly workflowId: string;
  /** Shown after the name. */
  readonly more?: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <span className="figure-place">
      {children}
      <span className="small muted" title={workflowId}>
        {workflowNameIn(names, workflowId)}
        {more}
      </span>
    </span>
  );
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
    <InWorkflow names={names} workflowId={workflowId}>
      <span title={[activity, step].filter(Boolean).join(' / ')}>{parts.join(': ') || messages.noPlace}</span>
    </InWorkflow>
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
