import type { ReactNode } from 'react';
import type { Run } from '../contract.ts';
import { toneOf } from '../graph/standing-tone.ts';
import { Tag } from '../parts/tone.tsx';

/** Every activity of the plan, in its order, with what became of it. */
export function PlanList({ plan }: Pick<Run['story'], 'plan'>): ReactNode {
  return (
    <ol className="plan-list card" aria-label="Plan">
      {plan.map(({ id, name, standing, visits, why }) => (
        <li key={id} aria-current={standing === 'current' ? 'step' : undefined}>
          <span className="plan-name">
            {name}
            {visits > 1 && <span className="muted"> {visits}×</span>}
            {why !== undefined && <span className="plan-why small muted">{why}</span>}
          </span>
          <Tag tone={toneOf(standing)}>{toneOf(standing)}</Tag>
        </li>
      ))}
    </ol>
  );
}
