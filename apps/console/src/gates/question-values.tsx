import type { ReactNode } from 'react';
import type { WaitingGate } from '../contract.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { VariableRow } from '../parts/variable-row.tsx';
import { setterWords } from './setter-words.ts';

/** Lists the values that a question shows and who set each of them. Renders nothing for a question without values. */
export function QuestionValues({
  values,
}: {
  readonly values: WaitingGate['question']['values'];
}): ReactNode {
  if (values.length === 0) return null;
  return (
    <details>
      <summary>Values in this question</summary>
      <ScrollTable label="Values in this question">
        <thead>
          <tr>
            <th scope="col">Variable</th>
            <th scope="col">Value</th>
            <th scope="col">Who set it</th>
          </tr>
        </thead>
        <tbody>
          {values.map(({ name, value, ...setter }) => (
            <VariableRow key={name} name={name} value={value}>
              <td>{setterWords(setter)}</td>
            </VariableRow>
          ))}
        </tbody>
      </ScrollTable>
    </details>
  );
}
