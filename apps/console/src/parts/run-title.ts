import type { RunRow } from '../contract.ts';

/** What a run is called: by the title of its workflow, or by the workflow's id where that has none. */
export function runTitle({ title, workflowId }: Pick<RunRow, 'title' | 'workflowId'>): string {
  return title === '' ? workflowId : title;
}
