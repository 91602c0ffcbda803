import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { healthQuery } from '../api/queries.ts';
import type { ConsoleHealth } from '../contract.ts';
import { Fact } from '../parts/fact.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Notice } from '../parts/notice.tsx';
import { Tag } from '../parts/tone.tsx';
import { Counts } from '../runs/counts.tsx';
import { Page } from '../shell/page.tsx';
import { LatencyTable } from './latency-table.tsx';
import { RefusalsTable } from './refusals-table.tsx';
import { SourcesTable } from './sources-table.tsx';
import { spanText } from '../parts/span-text.ts';

/** How the server is, looked at again every ten seconds. */
export function HealthPage(): ReactNode {
  const query = useQuery(healthQuery);
  return (
    <Page
      title="Health"
      lead={
        query.data !== undefined && `Version ${query.data.version}, up ${spanText(query.data.uptimeSeconds)}.`
      }
    >
      <Loaded query={query}>{(health) => <HealthParts health={health} />}</Loaded>
    </Page>
  );
}

function HealthParts({ health }: { readonly health: ConsoleHealth }): ReactNode {
  const { database, keys, clients, runs, sources, refusals, latency } = health;
  return (
    <>
      {health.status === 'draining' && <Notice tone="waits" title="The server is on its way out." />}
      {[database.problem, keys.problem].map(
        (problem) => problem !== undefined && <Notice key={problem} tone="refused" title={problem} />,
      )}
      <dl className="card fact-grid">
        <Fact name="Server">
          <State ok={health.status === 'ready'}>{health.status.replace('_', ' ')}</State>
        </Fact>
        <Fact name="Database">
          <State ok={database.ok}>{database.adapter}</State>
        </Fact>
        <Fact name="Keys of tokens">
          <State ok={keys.ok}>{keys.count}</State>
        </Fact>
        <Fact name="Connected clients">{clients.sessions}</Fact>
        <Fact name="Open streams">{clients.streams}</Fact>
        <Fact name="Node">{health.node}</Fact>
      </dl>
      <h2>Runs</h2>
      <Counts counts={runs} />
      <h2>Sources</h2>
      <SourcesTable sources={sources} />
      <div className="two-columns">
        <section className="stack">
          <h2>Refused calls</h2>
          <RefusalsTable refusals={refusals} />
        </section>
        <section className="stack">
          <h2>Latency</h2>
          <LatencyTable latency={latency} />
        </section>
      </div>
    </>
  );
}

function State({ ok, children }: { readonly ok: boolean; readonly children: ReactNode }): ReactNode {
  return <Tag tone={ok ? 'done' : 'refused'}>{children}</Tag>;
}
