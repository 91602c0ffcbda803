import { didYouMean, WorkflowError } from '@workflowlookup/schema';
import type { WorkflowStore } from '@workflowlookup/storage';
import { sharedWorkflowId } from './library/library.ts';

/** Why an id can't be served: its file is broken, or there is none. */
export async function explainAbsence(store: WorkflowStore, id: string): Promise<WorkflowError> {
  const problem = (await store.problems()).find(
    (candidate) => candidate.id === id && candidate.severity === 'error',
  );
  if (problem !== undefined) {
    const first = problem.issues[0]?.message ?? 'it could not be read';
    return new WorkflowError(problem.code, `Workflow '${id}' (${problem.file}) can't be served: ${first}`, {
      data: { workflowId: id, issues: problem.issues },
    });
  }
  const nearest = didYouMean(
    id,
    (await store.list()).map((summary) => summary.id).filter((listed) => listed !== sharedWorkflowId),
  );
  const hint =
    nearest === undefined ? 'List the workflows to see which there are.' : `Did you mean '${nearest}'?`;
  return new WorkflowError('WORKFLOW_NOT_FOUND', `Workflow '${id}' was not found. ${hint}`, {
    data: { workflowId: id },
  });
}
