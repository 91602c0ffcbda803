import type { DefinitionProblem, UntrustedDefinition } from '@workflowlookup/core';
import type { Issue } from '@workflowlookup/schema';
import { trustCommand, writeOutHidden } from '@workflowlookup/schema';
import { messages } from '../messages.ts';
export { joinSections, toToon, wholeDefinition } from '@workflowlookup/core/library';
export { markedCheckpoint } from '@workflowlookup/core/sessions';
export { WorkflowError } from '@workflowlookup/schema';

export function problemJson({ id, file, severity, issues }: DefinitionProblem): object {
  return { id: writeOutHidden(id), file: writeOutHidden(file), severity, issues: issues.map(issueJson) };
}

/**
 * Returns an issue as clients see it. Invisible characters are written out as escapes, so that names in a definition can't
 * hide text from people.
 */
export function issueJson({ pointer, line, column, message, suggestion }: Issue): object {
  return {
    pointer: writeOutHidden(pointer),
    line,
    column,
    message: writeOutHidden(message),
    ...(suggestion === undefined ? {} : { suggestion: writeOutHidden(suggestion) }),
  };
}

/** Returns the number of untrusted definitions. Their ids are left out, because their authors chose them. */
export function untrustedJson(untrusted: readonly UntrustedDefinition[]): object {
  if (untrusted.length === 0) return {};
  return { untrusted: { count: untrusted.length, command: untrusted[0]?.trustWith ?? trustCommand } };
}

export function untrustedSummary(count: number): object {
  if (count === 0) return {};
  return { untrusted: messages.untrusted(count, trustCommand) };
}
