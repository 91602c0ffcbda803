import type { ReactNode } from 'react';
import type { Run } from '../contract.ts';
import { Empty } from '../parts/empty.tsx';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { VariableChanges } from '../parts/variable-changes.tsx';
import { VariableRow } from '../parts/variable-row.tsx';

/** The variables of a run as they are, and how each came to be so. */
export function VariablesPart({ run: { variables, story } }: { readonly run: Run }): ReactNode {
  const entries = Object.entries(variables);
  if (entries.length === 0) return <Empty title="This run has no variables." />;
  return (
    <>
      <h2>Now</h2>
      <ScrollTable label="Variables now">
        <thead>
          <tr>
            <th scope="col">Variable</th>
            <th scope="col">Value</th>
            <th scope="col" className="number">
              Changes
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map(([name, value]) => (
            <VariableRow key={name} name={name} value={value}>
              <td className="number">{story.variables.filter((change) => change.name === name).length}</td>
            </VariableRow>
          ))}
        </tbody>
      </ScrollTable>
      {story.variables.length > 0 && (
        <>
          <h2>How they changed</h2>
          <VariableChanges changes={story.variables} />
        </>
      )}
    </>
  );
}
