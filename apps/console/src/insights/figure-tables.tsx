import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { formatDuration } from '../components/format.ts';
import { ScrollTable } from '../components/lists.tsx';
import { EmptyState } from '../components/notice.tsx';
import { OutcomeTag } from '../components/tags.tsx';
import type { InsightsReply } from '../contract.ts';
import { insightMessages as messages } from '../messages/insights.ts';

const maxRows = 10;
const number = new Intl.NumberFormat();

interface Column<Row> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

/** Renders figures as a table, the largest first. The first column names the row. */
function FigureTable<Row>({
  title,
  lead,
  empty,
  rows,
  columns,
  keyOf,
}: {
  readonly title: string;
  readonly lead?: string;
  readonly empty: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
}): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, maxRows);
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
          <button type="button" className="button button-small" onClick={() => setIsWhole(true)}>
            {messages.more(rows.length - shown.length)}
          </button>
        </div>
      )}
    </section>
  );
}

/** Leads from a figure to the sessions behind it. */
function Behind({
  sessions,
  tag,
  workflow,
}: {
  readonly sessions: number;
  readonly tag: string;
  readonly workflow: string | undefined;
}): ReactNode {
  return (
    <Link to="/runs" search={{ ...(workflow !== undefined && { workflow }), tag }}>
      {number.format(sessions)}
      <span className="hidden-visually">{messages.sessionsBehind}</span>
    </Link>
  );
}

/** Renders a number with a bar that shows its share of the largest one. */
function Bar({
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
      <span className="figure-bar-track" aria-hidden>
        <span style={{ width: `${(100 * value) / Math.max(most, Number.MIN_VALUE)}%` }} />
      </span>
      <span>{children}</span>
    </span>
  );
}

export function OutcomeFigures({ outcomes }: Pick<InsightsReply, 'outcomes'>): ReactNode {
  const { title, empty, columns } = messages.outcomes;
  const most = Math.max(...outcomes.map(({ sessions }) => sessions));
  return (
    <FigureTable
      title={title}
      empty={empty}
      rows={outcomes}
      keyOf={({ workflowId, outcome, result = '' }) => `${workflowId} ${outcome} ${result}`}
      columns={[
        {
          name: columns.outcome,
          cell: ({ outcome, result }) => (
            <OutcomeTag ended={{ name: outcome, ...(result !== undefined && { result }) }} />
          ),
        },
        { name: columns.workflow, cell: ({ workflowId }) => <code>{workflowId}</code> },
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag, workflowId }) => (
            <Bar value={sessions} most={most}>
              <Behind sessions={sessions} tag={tag} workflow={workflowId} />
            </Bar>
          ),
        },
      ]}
    />
  );
}

export function RefusalFigures({ refusals }: Pick<InsightsReply, 'refusals'>): ReactNode {
  const { title, empty, columns } = messages.refusals;
  const most = Math.max(...refusals.map(({ count }) => count));
  return (
    <FigureTable
      title={title}
      empty={empty}
      rows={refusals}
      keyOf={({ workflowId, tag }) => `${workflowId} ${tag}`}
      columns={[
        { name: columns.reason, cell: ({ criterion }) => criterion },
        {
          name: columns.place,
          cell: ({ workflowId, activity, step }) => (
            <span className="stack-tight">
              <code>{[activity, step].filter(Boolean).join(' / ') || '–'}</code>
              <span className="small muted">{workflowId}</span>
            </span>
          ),
        },
        {
          name: columns.times,
          isNumber: true,
          cell: ({ count }) => (
            <Bar value={count} most={most}>
              {number.format(count)}
            </Bar>
          ),
        },
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag, workflowId }) => (
            <Behind sessions={sessions} tag={tag} workflow={workflowId} />
          ),
        },
      ]}
    />
  );
}

export function ActivityFigures({ activities }: Pick<InsightsReply, 'activities'>): ReactNode {
  const { title, lead, empty, columns } = messages.activities;
  const most = Math.max(...activities.map(({ work }) => work.median));
  return (
    <FigureTable
      title={title}
      lead={lead}
      empty={empty}
      rows={activities}
      keyOf={({ workflowId, activity }) => `${workflowId} ${activity}`}
      columns={[
        {
          name: columns.activity,
          cell: ({ activity, workflowId }) => (
            <span className="stack-tight">
              <code>{activity}</code>
              <span className="small muted">{workflowId}</span>
            </span>
          ),
        },
        {
          name: columns.median,
          isNumber: true,
          cell: ({ work }) => (
            <Bar value={work.median} most={most}>
              {formatDuration(work.median)}
            </Bar>
          ),
        },
        { name: columns.p90, isNumber: true, cell: ({ work }) => formatDuration(work.p90) },
        { name: columns.retries, isNumber: true, cell: ({ retries }) => number.format(retries) },
        { name: columns.refused, isNumber: true, cell: ({ refused }) => number.format(refused) },
        { name: columns.waited, isNumber: true, cell: ({ waited }) => formatDuration(waited) },
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag, workflowId }) => (
            <Behind sessions={sessions} tag={tag} workflow={workflowId} />
          ),
        },
      ]}
    />
  );
}

export function PeopleFigures({
  people,
  workflow,
}: Pick<InsightsReply, 'people'> & { readonly workflow: string | undefined }): ReactNode {
  const { title, empty, agent, columns } = messages.people;
  const most = Math.max(...people.map(({ waits }) => waits.median));
  return (
    <FigureTable
      title={title}
      empty={empty}
      rows={people}
      keyOf={({ person }) => person}
      columns={[
        { name: columns.person, cell: ({ person }) => (person === 'agent' ? agent : person) },
        { name: columns.answers, isNumber: true, cell: ({ waits }) => number.format(waits.count) },
        {
          name: columns.median,
          isNumber: true,
          cell: ({ waits }) => (
            <Bar value={waits.median} most={most}>
              {formatDuration(waits.median)}
            </Bar>
          ),
        },
        { name: columns.p90, isNumber: true, cell: ({ waits }) => formatDuration(waits.p90) },
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag }) => <Behind sessions={sessions} tag={tag} workflow={workflow} />,
        },
      ]}
    />
  );
}

/** Renders nothing until hooks have done something. */
export function HookFigures({ hooks }: Pick<InsightsReply, 'hooks'>): ReactNode {
  const { title, columns } = messages.hooks;
  if (hooks.length === 0) return null;
  return (
    <FigureTable
      title={title}
      empty=""
      rows={hooks}
      keyOf={({ action }) => action}
      columns={[
        { name: columns.action, cell: ({ action }) => action },
        { name: columns.times, isNumber: true, cell: ({ count }) => count },
        { name: columns.sessions, isNumber: true, cell: ({ sessions }) => sessions },
      ]}
    />
  );
}
