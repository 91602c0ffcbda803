import type { ComponentProps, ReactNode } from 'react';
import { Suspense, lazy } from 'react';
import { workflowMessages } from '../messages/workflows.ts';

const WorkflowGraph = lazy(async () => ({ default: (await import('./workflow-graph.tsx')).WorkflowGraph }));

/** Renders the graph of a workflow. Its code is loaded on first use. */
export function LazyGraph(props: ComponentProps<typeof WorkflowGraph>): ReactNode {
  return (
    <Suspense
      fallback={<div className="skeleton" role="status" aria-label={workflowMessages.page.loadingGraph} />}
    >
      <WorkflowGraph {...props} />
    </Suspense>
  );
}
