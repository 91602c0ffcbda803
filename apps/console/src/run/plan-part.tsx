import type { ReactNode } from 'react';
import type { Run } from '../contract.ts';
import { LateGraph } from '../graph/late-graph.tsx';
import { runTitle } from '../parts/run-title.ts';
import { PlanList } from './plan-list.tsx';

/** Planned against actual: as a picture, and as a list that says the same. */
export function PlanPart({ run: { graph, story, row } }: { readonly run: Run }): ReactNode {
  return (
    <div className="plan">
      <LateGraph graph={graph} label={`Picture of ${runTitle(row)}; the list of the plan says the same`} />
      <PlanList plan={story.plan} />
    </div>
  );
}
