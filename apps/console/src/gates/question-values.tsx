import type { ReactNode } from 'react';
import type { WaitingGate } from '../contract.ts';
import { ScrollTable } from '../parts/scroll-table.tsx';
import { VariableRow } from '../parts/variable-row.tsx';
import { setterWords } from './setter-words.ts';

/** The values that stand in a question, and who set each; renders nothing if there are none. */
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
