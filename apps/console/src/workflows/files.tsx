import { Link } from '@tanstack/react-router';
import type { Issue } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { Tag } from '../components/tags.tsx';
import type { CatalogueProblem, DefinitionFile } from '../contract/index.ts';
import { commonMessages } from '../messages/common.ts';
import { workflowMessages } from '../messages/workflows.ts';

const { page, problems: messages } = workflowMessages;

/** Renders the files of a definition, by their paths in its folder. Each leads to its text. */
export function FileList({
  files,
  source,
  current,
}: {
  readonly files: readonly DefinitionFile[];
  readonly source: string;
  /** The path of the file that the page shows. */
  readonly current?: string;
}): ReactNode {
  const [main] = files;
  const start = files.length > 1 && main !== undefined ? main.file.lastIndexOf('/') + 1 : 0;
  return (
    <ul className="card plan-list" aria-label={page.filesList}>
      {files.map(({ file, notation }) => (
        <li key={file}>
          {file === current ? (
            <strong aria-current="page">
              <code>{file.slice(start)}</code>
            </strong>
          ) : (
            <Link to="/edit" search={{ source, file }}>
              <code>{file.slice(start)}</code>
            </Link>
          )}
          <span className="muted">{notation}</span>
        </li>
      ))}
    </ul>
  );
}

/** Renders the definition files with problems. Files with errors come first. */
export function ProblemsList({ problems }: { readonly problems: readonly CatalogueProblem[] }): ReactNode {
  if (problems.length === 0) return null;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const sorted = problems.toSorted((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
  return (
    <details className="card" open={errors > 0}>
      <summary>{messages.summary(problems.length)}</summary>
      <ul className="stack" aria-label={messages.list}>
        {sorted.map((problem) => (
          <li key={`${problem.source} ${problem.file} ${problem.severity}`} className="stack-tight">
            <div className="row">
              <Tag tone={problem.severity === 'error' ? 'refused' : 'waits'}>
                {problem.severity === 'error' ? messages.notServed : messages.warning}
              </Tag>
              <Link to="/edit" search={{ source: problem.source, file: problem.file }}>
                <code>{problem.file}</code>
              </Link>
              <span className="small muted">{messages.in(problem.source)}</span>
            </div>
            <IssueList issues={problem.issues} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Renders the issues of a text with their line and column and a suggested fix. */
export function IssueList({
  issues,
  onSelect,
}: {
  readonly issues: readonly Issue[];
  /** Makes the issues clickable. */
  readonly onSelect?: (issue: Issue) => void;
}): ReactNode {
  return (
    <ul className="issues small">
      {issues.map((issue) => {
        const { line, column, code, pointer, message, suggestion } = issue;
        const position = `${line}:${column}`;
        return (
          <li key={`${position} ${code} ${pointer} ${message}`} data-severity={issue.severity}>
            <code className="muted">{position}</code>
            <span>
              {issue.severity === 'warning' && <span className="muted">{commonMessages.issues.warning}</span>}
              {onSelect === undefined ? (
                message
              ) : (
                <button type="button" className="link-button issue-text" onClick={() => onSelect(issue)}>
                  {message}
                </button>
              )}{' '}
              <code className="muted">{code}</code>
              {suggestion !== undefined && <span className="muted suggestion">{suggestion}</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
