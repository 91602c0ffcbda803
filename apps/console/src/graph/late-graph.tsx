import type { ComponentProps, ReactNode } from 'react';
import { lazy, Suspense } from 'react';

const WorkflowGraph = lazy(async () => ({ default: (await import('./workflow-graph.tsx')).WorkflowGraph }));

/** The picture of a workflow, loaded where one is shown. */
export function LateGraph(props: ComponentProps<typeof WorkflowGraph>): ReactNode {
  return (
    <Suspense fallback={<div className="skeleton" role="status" aria-label="Loading the picture" />}>
      <WorkflowGraph {...props} />
    </Suspense>
  );
}
