import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';

/** Asks for the next page of what comes page by page; nothing stands here after the last one. */
export function MoreButton({
  query,
  children,
}: {
  readonly query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage'> & {
    fetchNextPage(): unknown;
  };
  readonly children: ReactNode;
}): ReactNode {
  if (!query.hasNextPage) return null;
  return (
    <button
      type="button"
      className="button"
      disabled={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {children}
    </button>
  );
}
