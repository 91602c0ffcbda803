import type { DefinitionProblem } from '@workflowlookup/core';
import type { Issue } from '@workflowlookup/schema';

/** A problem as clients see it. */
export function problemOnWire({ id, file, severity, issues }: DefinitionProblem): object {
  return { id, file, severity, issues: issues.map(issueOnWire) };
}

/** An issue as clients see it: its problem says how bad it is. */
export function issueOnWire({ pointer, line, column, message, suggestion }: Issue): object {
  return { pointer, line, column, message, ...(suggestion === undefined ? {} : { suggestion }) };
}
