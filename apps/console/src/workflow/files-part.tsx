import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { WorkflowDetail } from '../contract.ts';

/** The files of a workflow, each to be read, and written where its source takes that. */
export function FilesPart({
  detail: { files, source, isWritable },
}: {
  readonly detail: WorkflowDetail;
}): ReactNode {
  return (
    <>
      <p className="muted">
        In the source {source}, which {isWritable ? 'can be written to' : 'is read only'}.
      </p>
      <ul className="card plan-list" aria-label="Files">
        {files.map(({ file, notation }) => (
          <li key={file}>
            <Link to="/edit" search={{ source, file }}>
              <code>{file}</code>
            </Link>
            <span className="muted">{notation}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
