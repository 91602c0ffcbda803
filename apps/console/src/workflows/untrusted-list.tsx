import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { untrustedQuery } from '../api/queries.ts';
import { Tag } from '../components/tags.tsx';
import { workflowMessages } from '../messages/workflows.ts';

const { trust: messages } = workflowMessages;

/** Loaded on first use, because the editor in it is large and seldom needed. */
const TrustDialog = lazy(async () => ({ default: (await import('./trust-dialog.tsx')).TrustDialog }));

/** Renders the project's definitions that are not served to agents until a person trusts them. */
export function UntrustedList(): ReactNode {
  const { data } = useQuery(untrustedQuery);
  const [file, setFile] = useState<{ readonly source: string; readonly file: string }>();
  if (data === undefined || data.definitions.length === 0) return null;

  return (
    <details className="card" open>
      <summary>{messages.summary(data.definitions.length)}</summary>
      {!data.mayTrust && <p className="muted small">{messages.requires}</p>}
      {data.mayTrust && (
        <ul className="stack" aria-label={messages.list}>
          {data.definitions.map((entry) => (
            <li key={`${entry.source} ${entry.file ?? entry.id ?? ''}`} className="row">
              <Tag tone="waits">{messages.reasons[entry.reason]}</Tag>
              <code>{entry.file ?? entry.id ?? messages.noId}</code>
              <span className="small muted">{messages.in(entry.source)}</span>
              {entry.file !== undefined && (
                <button
                  type="button"
                  className="button"
                  onClick={() => setFile({ source: entry.source, file: entry.file ?? '' })}
                >
                  {messages.review}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {file !== undefined && (
        <Suspense>
          <TrustDialog location={file} onClose={() => setFile(undefined)} />
        </Suspense>
      )}
    </details>
  );
}
