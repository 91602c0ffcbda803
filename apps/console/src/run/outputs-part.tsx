import type { ReactNode } from 'react';
import type { RunOutput } from '../contract.ts';
import { Empty } from '../parts/empty.tsx';
import { OutputView } from '../parts/output-view.tsx';
import { TimeSince } from '../parts/time-since.tsx';

/** What was handed in, the newest first. */
export function OutputsPart({ outputs }: { readonly outputs: readonly RunOutput[] }): ReactNode {
  if (outputs.length === 0) return <Empty title="Nothing was handed in yet." />;
  return (
    <ol className="stack" aria-label="Outputs">
      {outputs.toReversed().map((output) => (
        <li key={`${output.revision} ${output.step}`} className="card stack-tight">
          <div className="row-apart">
            <h2>
              <code>{output.step}</code>
            </h2>
            <span className="small muted">
              {output.activity} · <TimeSince at={output.at} />
            </span>
          </div>
          <OutputView output={output} />
        </li>
      ))}
    </ol>
  );
}
