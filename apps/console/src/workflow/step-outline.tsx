import type { ReactNode } from 'react';
import type { WorkflowDetail } from '../contract.ts';
import { Lines } from '../parts/lines.tsx';
import { Tag } from '../parts/tone.tsx';

type Steps = NonNullable<WorkflowDetail['outline']['steps']>;

/** Steps in their order, with what decides about each. */
export function StepOutline({ steps }: { readonly steps: Steps }): ReactNode {
  return (
    <ol className="outline">
      {steps.map(({ id, title, when, confirmation, criteria, rounds, body }) => (
        <li key={id}>
          <div className="row">
            <strong>{title}</strong> <code className="muted">{id}</code>
            {confirmation !== undefined && (
              <Tag tone="waits">
                {confirmation.approver === 'human' ? 'a person confirms' : 'somebody confirms'}
              </Tag>
            )}
          </div>
          {when !== undefined && <p className="small muted">When {when}</p>}
          {rounds !== undefined && <p className="small muted">Loop: {rounds}</p>}
          <Lines lines={criteria ?? []} className="small muted" />
          {typeof body === 'string' && (
            <p className="small muted">
              Repeats <code>{body}</code>
            </p>
          )}
          {body !== undefined && typeof body !== 'string' && <StepOutline steps={body} />}
        </li>
      ))}
    </ol>
  );
}
