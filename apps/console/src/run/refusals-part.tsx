import type { ReactNode } from 'react';
import type { Run } from '../contract.ts';
import { Empty } from '../parts/empty.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { Moment } from '../parts/time-since.tsx';

/** Calls of a run that were refused, with what each was told. */
export function RefusalsPart({ refusals }: Pick<Run['story'], 'refusals'>): ReactNode {
  if (refusals.length === 0) return <Empty title="No call was refused." />;
  return (
    <ScrollTable label="Refused calls">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Call</th>
          <th scope="col">At</th>
          <th scope="col">Who</th>
          <th scope="col">Refused with</th>
        </tr>
      </thead>
      <tbody>
        {refusals.map(({ spanId, ts, name, act, aid, err }) => (
          <tr key={spanId}>
            <td>
              <Moment at={ts} />
            </td>
            <td>{name}</td>
            <td>{act === '' ? '—' : act}</td>
            <td>{aid}</td>
            <td>{err}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
