import type { DefinitionProblem } from '@workflowlookup/core';
import type { Issue } from '@workflowlookup/schema';
import { writeOutHidden } from '@workflowlookup/schema';

/** A problem as clients see it. */
export function problemOnWire({ id, file, severity, issues }: DefinitionProblem): object {
  return { id: writeOutHidden(id), file: writeOutHidden(file), severity, issues: issues.map(issueOnWire) };
}

/** An issue as clients see it: its problem says how bad it is. Keys and names in it can't hide a text from people. */
export function issueOnWire({ pointer, line, column, message, suggestion }: Issue): object {
  return {
    pointer: writeOutHidden(pointer),
    line,
    column,
    message: writeOutHidden(message),
    ...(suggestion === undefined ? {} : { suggestion: writeOutHidden(suggestion) }),
  };
}
