import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { healthQuery } from '../api/queries.ts';
import { formatDuration } from '../components/format.ts';
import { DataTable, FactGrid } from '../components/lists.tsx';
import { Loaded, EmptyState, Notice } from '../components/notice.tsx';
import { StatusCounts, Tag } from '../components/tags.tsx';
import type { ConsoleHealth } from '../contract/index.ts';
import { commonMessages, healthMessages } from '../messages/common.ts';
import { Page } from './page.tsx';

const messages = healthMessages;
const { facts } = messages;

/** Renders the state of the server and refreshes it every ten seconds. */
export function HealthPage(): ReactNode {
  const query = useQuery(healthQuery);
  return (
    <Page
      title={messages.title}
      lead={
        query.data !== undefined &&
        messages.lead(query.data.version, formatDuration(query.data.uptimeSeconds))
      }
    >
      <Loaded query={query}>{(health) => <HealthContent health={health} />}</Loaded>
    </Page>
  );
}

function HealthContent({ health }: { readonly health: ConsoleHealth }): ReactNode {
  const { database, keys, clients, sessions, sources, refusals, latency } = health;
  return (
    <>
      {health.status === 'draining' && <Notice tone="waits" title={messages.draining} />}
      {[database.problem, keys.problem].map(
        (problem) => problem !== undefined && <Notice key={problem} tone="refused" title={problem} />,
      )}
      <FactGrid
        className="card"
        facts={{
          [facts.server]: (
            <StateTag ok={health.status === 'ready'}>{messages.status[health.status]}</StateTag>
          ),
          [facts.database]: <StateTag ok={database.ok}>{database.adapter}</StateTag>,
          [facts.keys]: <StateTag ok={keys.ok}>{keys.count}</StateTag>,
          [facts.clients]: clients.sessions,
          [facts.streams]: clients.streams,
          [facts.node]: health.node,
        }}
      />
      <h2>{messages.sessions}</h2>
      <StatusCounts counts={sessions} />
      <h2>{messages.sources.title}</h2>
      <SourcesTable sources={sources} />
      <div className="two-columns">
        <section className="stack">
          <h2>{messages.refusals.title}</h2>
          <RefusalsTable refusals={refusals} />
          <Link className="small" to="/insights">
            {messages.refusals.elsewhere}
          </Link>
        </section>
        <section className="stack">
          <h2>{messages.latency.title}</h2>
          <LatencyTable latency={latency} />
        </section>
      </div>
    </>
  );
}

function StateTag({ ok, children }: { readonly ok: boolean; readonly children: ReactNode }): ReactNode {
  return <Tag tone={ok ? 'done' : 'refused'}>{children}</Tag>;
}

/** Renders where definitions come from, with the number of problems in each source. */
function SourcesTable({ sources }: Pick<ConsoleHealth, 'sources'>): ReactNode {
  const { sources: texts } = messages;
  return (
    <DataTable
      label={texts.title}
      rows={sources}
      keyOf={({ name }) => name}
      columns={[
        {
          name: texts.columns.source,
          cell: ({ name, isWritable }) => (
            <>
              {name} {isWritable && <span className="small muted">{texts.writable}</span>}
            </>
          ),
        },
        {
          name: texts.columns.directory,
          cell: ({ directory }) => (directory === undefined ? commonMessages.none : <code>{directory}</code>),
        },
        { name: texts.columns.workflows, isNumber: true, cell: ({ workflows }) => workflows },
        {
          name: texts.columns.problems,
          cell: ({ errors, warnings }) => (
            <span className="row">
              {errors > 0 && <Tag tone="refused">{texts.errors(errors)}</Tag>}
              {warnings > 0 && <Tag tone="waits">{texts.warnings(warnings)}</Tag>}
              {errors + warnings === 0 && <Tag tone="done">{texts.none}</Tag>}
            </span>
          ),
        },
      ]}
    />
  );
}

/** Renders the number of refused calls since the server started, by error code. */
function RefusalsTable({ refusals }: Pick<ConsoleHealth, 'refusals'>): ReactNode {
  if (refusals.length === 0) return <EmptyState title={messages.refusals.empty} />;
  const { title, columns } = messages.refusals;
  return (
    <DataTable
      label={title}
      rows={refusals}
      keyOf={({ code }) => code}
      columns={[
        { name: columns.code, cell: ({ code }) => <code>{code}</code> },
        { name: columns.calls, isNumber: true, cell: ({ count }) => count },
      ]}
    />
  );
}

function LatencyTable({ latency }: Pick<ConsoleHealth, 'latency'>): ReactNode {
  if (latency.length === 0) return <EmptyState title={messages.latency.empty} />;
  const { title, columns } = messages.latency;
  return (
    <DataTable
      label={title}
      rows={latency}
      keyOf={({ route }) => route}
      columns={[
        { name: columns.route, cell: ({ route }) => <code>{route}</code> },
        { name: columns.requests, isNumber: true, cell: ({ count }) => count },
        { name: columns.p50, isNumber: true, cell: ({ p50Ms }) => upperBound(p50Ms) },
        { name: columns.p95, isNumber: true, cell: ({ p95Ms }) => upperBound(p95Ms) },
        { name: columns.p99, isNumber: true, cell: ({ p99Ms }) => upperBound(p99Ms) },
      ]}
    />
  );
}

function upperBound(ms: number | undefined): string {
  return ms === undefined ? commonMessages.none : messages.latency.atMost(ms);
}
