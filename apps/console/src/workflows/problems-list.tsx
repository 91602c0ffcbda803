import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CatalogueProblem } from '../contract.ts';
import { plural } from '../parts/plural.ts';
import { Tag } from '../parts/tone.tsx';
import { IssueList } from './issue-list.tsx';

/** Files with something wrong: those that keep a workflow from being served come first. */
export function ProblemsList({ problems }: { readonly problems: readonly CatalogueProblem[] }): ReactNode {
  if (problems.length === 0) return null;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const sorted = problems.toSorted((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
  return (
    <details className="card" open={errors > 0}>
      <summary>{plural(problems.length, 'file has', 'files have')} something wrong</summary>
      <ul className="stack" aria-label="Problems">
        {sorted.map((problem) => (
          <li key={`${problem.source} ${problem.file} ${problem.severity}`} className="stack-tight">
            <div className="row">
              <Tag tone={problem.severity === 'error' ? 'refused' : 'waits'}>
                {problem.severity === 'error' ? 'not served' : 'warning'}
              </Tag>
              <Link to="/edit" search={{ source: problem.source, file: problem.file }}>
                <code>{problem.file}</code>
              </Link>
              <span className="small muted">in {problem.source}</span>
            </div>
            <IssueList issues={problem.issues} />
          </li>
        ))}
      </ul>
    </details>
  );
}
