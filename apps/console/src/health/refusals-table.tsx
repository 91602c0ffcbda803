import type { ReactNode } from 'react';
import type { ConsoleHealth } from '../contract.ts';
import { Empty } from '../parts/empty.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';

/** Calls that failed since the server started, by code. */
export function RefusalsTable({ refusals }: Pick<ConsoleHealth, 'refusals'>): ReactNode {
  if (refusals.length === 0) return <Empty title="No call was refused." />;
  return (
    <ScrollTable label="Refused calls">
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col" className="number">
            Calls
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
