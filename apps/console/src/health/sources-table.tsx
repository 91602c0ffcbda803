import type { ReactNode } from 'react';
import type { ConsoleHealth } from '../contract.ts';
import { plural } from '../parts/plural.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { Tag } from '../parts/tone.tsx';

/** Where definitions come from, and how many files of each have something wrong. */
export function SourcesTable({ sources }: Pick<ConsoleHealth, 'sources'>): ReactNode {
  return (
    <ScrollTable label="Sources">
      <thead>
        <tr>
          <th scope="col">Source</th>
          <th scope="col">Directory</th>
          <th scope="col" className="number">
            Workflows
          </th>
          <th scope="col">Findings</th>
        </tr>
      </thead>
      <tbody>
        {sources.map(({ name, directory, isWritable, workflows, errors, warnings }) => (
          <tr key={name}>
            <th scope="row">
              {name} {isWritable && <span className="small muted">writable</span>}
            </th>
            <td>{directory === undefined ? '—' : <code>{directory}</code>}</td>
            <td className="number">{workflows}</td>
            <td>
              <span className="row">
                {errors > 0 && <Tag tone="refused">{plural(errors, 'error')}</Tag>}
                {warnings > 0 && <Tag tone="waits">{plural(warnings, 'warning')}</Tag>}
                {errors + warnings === 0 && <Tag tone="done">none</Tag>}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
