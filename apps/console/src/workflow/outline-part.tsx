import type { ReactNode } from 'react';
import type { WorkflowDetail } from '../contract.ts';
import { plural } from '../parts/plural.ts';
import { ValueText } from '../parts/value-text.tsx';
import { ActivityOutline } from './activity-outline.tsx';
import { StepOutline } from './step-outline.tsx';

/** A workflow in words: its variables, then what comes in which order. */
export function OutlinePart({ outline }: Pick<WorkflowDetail, 'outline'>): ReactNode {
  const { variables, steps, activities } = outline;
  return (
    <>
      {variables.length > 0 && (
        <details className="card">
          <summary>{plural(variables.length, 'variable')}</summary>
          <ul className="plan-list">
            {variables.map(({ name, type, description, default: value }) => (
              <li key={name}>
                <span>
                  <code>{name}</code> <span className="muted">{description}</span>
                </span>
                <span className="small muted">
                  {type}
                  {value !== undefined && (
                    <>
                      {' = '}
                      <ValueText value={value} />
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {steps !== undefined && <StepOutline steps={steps} />}
      {activities?.map((activity) => (
        <ActivityOutline key={activity.id} activity={activity} />
      ))}
    </>
  );
}
