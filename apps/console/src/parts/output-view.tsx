import type { ReactNode } from 'react';
import type { RunOutput } from '../contract.ts';
import { Lines } from './lines.tsx';
import { plural } from './plural.ts';
import { Tag } from './tone.tsx';

/** What an agent handed in, as text, and whether it met its criteria. */
export function OutputView({
  output: { output, chars, verdict, step },
}: {
  readonly output: RunOutput;
}): ReactNode {
  return (
    <div className="stack-tight">
      {verdict !== undefined && (
        <div className="row">
          {verdict.valid ? (
            <Tag tone="done">meets its criteria</Tag>
          ) : (
            <Tag tone="refused">misses its criteria</Tag>
          )}
        </div>
      )}
      <Lines lines={verdict?.issues ?? []} className="small" />
      <pre className="code" tabIndex={0} role="group" aria-label={`Output of ${step}`}>
        {output}
      </pre>
      {chars !== undefined && (
        <p className="small muted">The beginning; {plural(chars, 'character')} in all.</p>
      )}
    </div>
  );
}
