import type { Issue } from '@workflowlookup/schema';

/** Returns `severity code pointer` of an issue. The severity `error!` is an error that does not prevent serving the part. */
export const summarizeIssue = ({ severity, served, code, pointer }: Issue): string =>
  `${severity}${served === true ? '!' : ''} ${code} ${pointer}`.trimEnd();

/** Returns the summary of an issue with its texts. Syntax errors differ only in their texts. */
export const issueInFull = (issue: Issue): string => {
  const { severity, served, code, pointer, message, suggestion = '' } = issue;
  return `${severity}${served === true ? '!' : ''} ${code} ${pointer}: ${message}. ${suggestion}`.trimEnd();
};
