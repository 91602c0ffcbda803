import type { ReactNode } from 'react';
import type { Evidence } from '../contract.ts';
import { OutputView } from '../parts/output-view.tsx';
import { VariableChanges } from '../parts/variable-changes.tsx';

/** What there is to judge by: the last outputs and the last changes of variables. */
export function EvidencePart({
  evidence: { outputs, variables },
}: {
  readonly evidence: Evidence;
}): ReactNode {
  if (outputs.length === 0 && variables.length === 0)
    return <p className="small muted">Nothing was handed in before this checkpoint.</p>;
  return (
    <div className="evidence stack">
      {outputs.map((output, at) => (
        <details key={`${output.revision} ${output.step}`} open={at === 0}>
          <summary>
            Output of <code>{output.step}</code>
          </summary>
          <OutputView output={output} />
        </details>
      ))}
      {variables.length > 0 && (
        <details>
          <summary>Variables that changed</summary>
          <VariableChanges changes={variables} />
        </details>
      )}
    </div>
  );
}
