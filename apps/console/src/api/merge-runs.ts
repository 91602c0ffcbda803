import type { RunRow, RunsPage, RunsQuery } from '../contract.ts';

/** The parts of a query of runs that a person chooses. */
export type RunsFilter = Omit<RunsQuery, 'limit' | 'cursor'>;

/**
 * Pages of a list after some of its runs were written to: those that are found still, or now, stand first, as the server
 * would list them.
 */
export function mergeRuns(
  pages: readonly RunsPage[],
  changed: readonly RunRow[],
  filter: RunsFilter,
): RunsPage[] {
  const moved = new Set(changed.map(({ sid }) => sid));
  const found = changed.filter((row) => isFound(row, filter));
  return pages.map((page, at) => {
    const rest = page.runs.filter(({ sid }) => !moved.has(sid));
    return { ...page, runs: at === 0 ? [...found, ...rest] : rest };
  });
}

function isFound(row: RunRow, { status, workflow, agent, text, parent, since, before }: RunsFilter): boolean {
  const wanted: readonly boolean[] = [
    status === undefined || status.split(',').includes(row.status),
    workflow === undefined || row.workflowId === workflow,
    agent === undefined || row.agent === agent,
    parent === undefined || row.parentSid === parent,
    since === undefined || row.updatedAt >= since,
    before === undefined || row.updatedAt < before,
    text === undefined || hasText(row, text),
  ];
  return wanted.every(Boolean);
}

function hasText({ sid, workflowId, principal, agent, project = '' }: RunRow, text: string): boolean {
  const wanted = text.toLowerCase();
  return [sid, workflowId, principal, agent, project].some((one) => one.toLowerCase().includes(wanted));
}
