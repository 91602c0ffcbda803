import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { reasonOf } from '../api/refusal.ts';
import { Notice } from './notice.tsx';

/** What was asked for, once it is there; before that its outline, and what went wrong where something did. */
export function Loaded<Data>({
  query,
  children,
}: {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'isFetching'> & { refetch(): unknown };
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  const { data, error, isFetching } = query;
  if (data === undefined && error === null) return <Waiting />;
  return (
    <>
      {error !== null && (
        <Notice tone="refused" title="This could not be loaded.">
          <p>{reasonOf(error)}</p>
          <div>
            <button
              type="button"
              className="button button-small"
              disabled={isFetching}
              onClick={() => void query.refetch()}
            >
              Try again
            </button>
          </div>
        </Notice>
      )}
      {data !== undefined && children(data)}
    </>
  );
}

function Waiting(): ReactNode {
  return (
    <div className="bars" role="status">
      <span className="hidden-visually">Loading</span>
      <div className="skeleton" />
      <div className="skeleton" />
    </div>
  );
}
