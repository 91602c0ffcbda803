import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { healthQuery } from './api/queries.ts';
import { formatDuration } from './components/format.ts';
import { Fact, ScrollTable } from './components/lists.tsx';
import { Loaded, EmptyState, Notice } from './components/notice.tsx';
import { StatusCounts, Tag } from './components/tags.tsx';
import type { ConsoleHealth } from './contract.ts';
import { commonMessages, healthMessages } from './messages/common.ts';
import { Page } from './shell/page.tsx';

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
      <dl className="card fact-grid">
        <Fact name={facts.server}>
          <StateTag ok={health.status === 'ready'}>{messages.status[health.status]}</StateTag>
        </Fact>
        <Fact name={facts.database}>
          <StateTag ok={database.ok}>{database.adapter}</StateTag>
        </Fact>
        <Fact name={facts.keys}>
          <StateTag ok={keys.ok}>{keys.count}</StateTag>
        </Fact>
        <Fact name={facts.clients}>{clients.sessions}</Fact>
        <Fact name={facts.streams}>{clients.streams}</Fact>
        <Fact name={facts.node}>{health.node}</Fact>
      </dl>
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
    <ScrollTable label={texts.title}>
      <thead>
        <tr>
          <th scope="col">{texts.columns.source}</th>
          <th scope="col">{texts.columns.directory}</th>
          <th scope="col" className="number">
            {texts.columns.workflows}
          </th>
          <th scope="col">{texts.columns.problems}</th>
        </tr>
      </thead>
      <tbody>
        {sources.map(({ name, directory, isWritable, workflows, errors, warnings }) => (
          <tr key={name}>
            <th scope="row">
              {name} {isWritable && <span className="small muted">{texts.writable}</span>}
            </th>
            <td>{directory === undefined ? commonMessages.none : <code>{directory}</code>}</td>
            <td className="number">{workflows}</td>
            <td>
              <span className="row">
                {errors > 0 && <Tag tone="refused">{texts.errors(errors)}</Tag>}
                {warnings > 0 && <Tag tone="waits">{texts.warnings(warnings)}</Tag>}
                {errors + warnings === 0 && <Tag tone="done">{texts.none}</Tag>}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

/** Renders the number of refused calls since the server started, by error code. */
function RefusalsTable({ refusals }: Pick<ConsoleHealth, 'refusals'>): ReactNode {
  if (refusals.length === 0) return <EmptyState title={messages.refusals.empty} />;
  return (
    <ScrollTable label={messages.refusals.title}>
      <thead>
        <tr>
          <th scope="col">{messages.refusals.columns.code}</th>
          <th scope="col" className="number">
            {messages.refusals.columns.calls}
          </th>
        </tr>
      </thead>
      <tbody>
        {refusals.map(({ code, count }) => (
          <tr key={code}>
            <th scope="row">
              <code>{code}</code>
            </th>
            <td className="number">{count}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function LatencyTable({ latency }: Pick<ConsoleHealth, 'latency'>): ReactNode {
  if (latency.length === 0) return <EmptyState title={messages.latency.empty} />;
  return (
    <ScrollTable label={messages.latency.title}>
      <thead>
        <tr>
          <th scope="col">{messages.latency.route}</th>
          {messages.latency.columns.map((name) => (
            <th key={name} scope="col" className="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {latency.map(({ route, count, p50Ms, p95Ms, p99Ms }) => (
          <tr key={route}>
            <th scope="row">
              <code>{route}</code>
            </th>
            <td className="number">{count}</td>
            <td className="number">{upperBound(p50Ms)}</td>
            <td className="number">{upperBound(p95Ms)}</td>
            <td className="number">{upperBound(p99Ms)}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function upperBound(ms: number | undefined): string {
  return ms === undefined ? commonMessages.none : messages.latency.atMost(ms);
}
