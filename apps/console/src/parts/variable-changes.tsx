import type { ReactNode } from 'react';
import type { Run } from '../contract.ts';
import { ScrollTable } from './scroll-table.tsx';
import { TimeSince } from './time-since.tsx';
import { ValueText } from './value-text.tsx';

/** Changes of variables in the order they are given. */
export function VariableChanges({ changes }: { readonly changes: Run['story']['variables'] }): ReactNode {
  return (
    <ScrollTable label="Changes of variables">
      <thead>
        <tr>
          <th scope="col">Variable</th>
          <th scope="col">From</th>
          <th scope="col">To</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ name, from, to, revision, at }) => (
          <tr key={`${revision} ${name}`}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>
              {from === undefined ? <span className="muted">nothing</span> : <ValueText value={from} />}
            </td>
            <td>
              <ValueText value={to} />
            </td>
            <td className="muted">
              <TimeSince at={at} />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
