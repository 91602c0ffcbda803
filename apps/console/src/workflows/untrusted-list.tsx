import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { untrustedQuery } from '../api/queries.ts';
import type { UntrustedEntry } from '../contract.ts';
import { plural } from '../parts/plural.ts';
import { Tag } from '../parts/tone.tsx';

/** The editor that shows texts is large, and most visits need none. */
const TrustDialog = lazy(async () => ({ default: (await import('./trust-dialog.tsx')).TrustDialog }));

/** Definitions of the project that agents are not served before a person trusts them. */
export function UntrustedList(): ReactNode {
  const { data } = useQuery(untrustedQuery);
  const [file, setFile] = useState<{ readonly source: string; readonly file: string }>();
  if (data === undefined || data.definitions.length === 0) return null;
  const count = plural(
    data.definitions.length,
    'definition of this project is',
    'definitions of this project are',
  );
  return (
    <details className="card" open>
      <summary>{count} not trusted, so agents are not served them</summary>
      {!data.mayTrust && (
        <p className="muted small">
          To look at them and trust them takes the scopes write and checkpoints:respond, or the command
          workflowlookup trust.
        </p>
      )}
      {data.mayTrust && (
        <ul className="stack" aria-label="Not trusted">
          {data.definitions.map((entry) => (
            <li key={`${entry.source} ${entry.file ?? entry.id ?? ''}`} className="row">
              <Tag tone="waits">{reasons[entry.reason]}</Tag>
              <code>{entry.file ?? entry.id ?? 'without an id'}</code>
              <span className="small muted">in {entry.source}</span>
              {entry.file !== undefined && (
                <button
                  type="button"
                  className="button"
                  onClick={() => setFile(placeOf(entry, entry.file ?? ''))}
                >
                  Look at it
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {file !== undefined && (
        <Suspense>
          <TrustDialog place={file} onClose={() => setFile(undefined)} />
        </Suspense>
      )}
    </details>
  );
}

function placeOf(
  { source }: UntrustedEntry,
  file: string,
): { readonly source: string; readonly file: string } {
  return { source, file };
}

const reasons = {
  untrusted: 'not trusted',
  changed: 'changed since it was trusted',
  replaces: 'would replace another',
} as const;
