import type { ReactNode } from 'react';
import type { ConsoleHealth } from '../contract.ts';
import { Empty } from '../parts/empty.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';

/** How long responses took to begin, as upper bounds. */
export function LatencyTable({ latency }: Pick<ConsoleHealth, 'latency'>): ReactNode {
  if (latency.length === 0) return <Empty title="No request yet." />;
  return (
    <ScrollTable label="Latency">
      <thead>
        <tr>
          <th scope="col">Route</th>
          {['Requests', 'p50', 'p95', 'p99'].map((name) => (
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
            <td className="number">{bound(p50Ms)}</td>
            <td className="number">{bound(p95Ms)}</td>
            <td className="number">{bound(p99Ms)}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function bound(ms: number | undefined): string {
  return ms === undefined ? '—' : `≤ ${ms} ms`;
}
