import type { Issue } from '@workflowlookup/schema';

/** Returns `severity code pointer` of an issue; the severity `error!` marks one despite which a part is served. */
export const summarizeIssue = ({ severity, served, code, pointer }: Issue): string =>
  `${severity}${served === true ? '!' : ''} ${code} ${pointer}`.trimEnd();

/** Returns the summary of an issue and its words, for syntax errors: only their words tell them apart. */
export const issueInFull = (issue: Issue): string => {
  const { severity, served, code, pointer, message, suggestion = '' } = issue;
  return `${severity}${served === true ? '!' : ''} ${code} ${pointer}: ${message}. ${suggestion}`.trimEnd();
};
