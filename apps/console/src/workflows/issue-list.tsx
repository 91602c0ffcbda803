import type { Issue } from '@workflowlookup/schema';
import type { ReactNode } from 'react';

/** What was found in a text, each with its place, and what would do. */
export function IssueList({
  issues,
  onGo,
}: {
  readonly issues: readonly Issue[];
  /** Where a place can be gone to. */
  readonly onGo?: (issue: Issue) => void;
}): ReactNode {
  return (
    <ul className="issues small">
      {issues.map((issue) => {
        const { line, column, code, pointer, message, suggestion } = issue;
        const place = `${line}:${column}`;
        return (
          <li key={`${place} ${code} ${pointer} ${message}`} data-severity={issue.severity}>
            {onGo === undefined ? (
              <code className="muted">{place}</code>
            ) : (
              <button
                type="button"
                className="button button-quiet button-small mono"
                onClick={() => onGo(issue)}
              >
                {place}
              </button>
            )}
            <span>
              {issue.severity === 'warning' && <span className="muted">warning: </span>}
              {message}
              {suggestion !== undefined && <span className="muted"> {suggestion}</span>}{' '}
              <code className="muted">{code}</code>
            </span>
          </li>
        );
      })}
    </ul>
  );
}
