import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Run } from '../contract.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';
import type { CompareRow } from './compare-rows.ts';
import { factRows, gateRows, planRows, variableRows } from './compare-rows.ts';

/** What two runs came to, table by table. */
export function CompareTables({ first, second }: { readonly first: Run; readonly second: Run }): ReactNode {
  const tables = [
    ['In short', factRows(first, second)],
    ['Plan', planRows(first, second)],
    ['Gates', gateRows(first, second)],
    ['Variables', variableRows(first, second)],
  ] as const;
  return tables
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => (
      <section key={title} className="stack">
        <h2>{title}</h2>
        <CompareTable title={title} rows={rows} sids={[first.row.sid, second.row.sid]} />
      </section>
    ));
}

function CompareTable({
  title,
  rows,
  sids,
}: {
  readonly title: string;
  readonly rows: readonly CompareRow[];
  readonly sids: readonly [string, string];
}): ReactNode {
  return (
    <ScrollTable label={title} className="compare">
      <thead>
        <tr>
          <td />
          {sids.map((sid) => (
            <th key={sid} scope="col">
              <Link to="/runs/$sid" params={{ sid }}>
                <code>{sid}</code>
              </Link>
            </th>
          ))}
          <th scope="col">
            <span className="hidden-visually">Differs</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, first, second }) => (
          <tr key={name} className={first === second ? undefined : 'differs'}>
            <th scope="row">{name}</th>
            <td>{first}</td>
            <td>{second}</td>
            <td className="small">{first === second ? '' : 'differs'}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
