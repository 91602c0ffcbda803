import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { runsQuery } from '../api/queries.ts';
import { Empty } from '../parts/empty.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Page } from '../shell/page.tsx';
import { useMe } from '../shell/me-context.ts';
import { Counts } from './counts.tsx';
import { RunsFilters } from './runs-filters.tsx';
import { RunsList } from './runs-list.tsx';
import { filterOf } from './runs-search.ts';

const route = getRouteApi('/runs');

/** Every run, the one last written to first. */
export function RunsPage(): ReactNode {
  const search = route.useSearch();
  const { may, principal } = useMe();
  const filter = useMemo(() => filterOf(search, Date.now()), [search]);
  const query = useInfiniteQuery(runsQuery(filter));
  const counts = query.data?.pages[0]?.counts;
  return (
    <Page
      title="Runs"
      lead={may.sees === 'own' ? `Those of ${principal}.` : 'All that are kept here.'}
      actions={counts !== undefined && <Counts counts={counts} />}
    >
      <RunsFilters />
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap(({ runs }) => runs);
          if (rows.length === 0) return <NoRuns isFiltered={Object.keys(search).length > 0} />;
          return (
            <RunsList
              rows={rows}
              hasMore={query.hasNextPage}
              isLoading={query.isFetchingNextPage}
              onMore={() => void query.fetchNextPage()}
            />
          );
        }}
      </Loaded>
    </Page>
  );
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered)
    return (
      <Empty title="No run is like that.">
        <p>Fewer filters find more.</p>
      </Empty>
    );
  return (
    <Empty title="No run yet.">
      <p>A run begins when an agent calls start_session. It appears here by itself.</p>
    </Empty>
  );
}
