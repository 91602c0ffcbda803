import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { DefinitionFile } from '../contract/index.ts';
import { workflowMessages } from '../messages/workflows.ts';

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
    <ul className="card plan-list" aria-label={workflowMessages.page.filesList}>
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
