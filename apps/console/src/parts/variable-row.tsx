import type { Json } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { ValueText } from './value-text.tsx';

/** A row of a table of variables: name and value, then the cells that are given. */
export function VariableRow({
  name,
  value,
  children,
}: {
  readonly name: string;
  readonly value: Json;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
      </th>
      <td>
        <ValueText value={value} />
      </td>
      {children}
    </tr>
  );
}
