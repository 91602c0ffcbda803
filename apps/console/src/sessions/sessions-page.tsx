import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { textParams } from '../api/client.ts';
import type { SessionsFilter } from '../api/merge-sessions.ts';
import { catalogueQuery, sessionsQuery } from '../api/queries.ts';
import { FilterSelect, SearchInput } from '../components/inputs.tsx';
import { Loaded } from '../components/loading.tsx';
import { EmptyState } from '../components/notice.tsx';
import { StatusCounts } from '../components/session-tags.tsx';
import { sessionMessages } from '../messages/sessions.ts';
import { Page, useMe } from '../shell/page.tsx';
import { SessionsList } from './sessions-list.tsx';

const { list, filters, status: statusTexts } = sessionMessages;

const route = getRouteApi('/runs');

/** Renders every session, most recently changed first. */
export function SessionsPage(): ReactNode {
  const search = route.useSearch();
  const { may, principal } = useMe();
  const filter = useMemo(() => filterOf(search, Date.now()), [search]);
  const query = useInfiniteQuery(sessionsQuery(filter));
  const counts = query.data?.pages[0]?.counts;
  return (
    <Page
      title={list.title}
      lead={may.sees === 'own' ? list.own(principal) : list.all}
      actions={counts !== undefined && <StatusCounts counts={counts} />}
    >
      <SessionFilters />
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap(({ runs }) => runs);
          if (rows.length === 0) return <NoSessions isFiltered={Object.keys(search).length > 0} />;
          return (
            <SessionsList
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

function NoSessions({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered)
    return (
      <EmptyState title={list.noMatch}>
        <p>{list.noMatchNext}</p>
      </EmptyState>
    );
  return (
    <EmptyState title={list.empty}>
      <p>{list.emptyNext}</p>
    </EmptyState>
  );
}

const statuses = [
  ['active,blocked', filters.live],
  ['active', statusTexts.active],
  ['blocked', statusTexts.blocked],
  ['completed', statusTexts.completed],
] as const;

/** Renders the filters of the list. Every change is written to the URL. */
function SessionFilters(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const catalogue = useQuery(catalogueQuery);
  const change = (next: Partial<Record<keyof SessionsSearch, string | undefined>>): void => {
    void navigate({ search: textParams({ ...search, ...next }), replace: true });
  };
  const workflows = catalogue.data?.workflows.map(({ id, name }) => [id, name] as const) ?? [];
  return (
    <search className="filters">
      <SearchInput
        label={filters.search}
        placeholder={filters.searchHint}
        value={search.text ?? ''}
        onChange={(text) => change({ text })}
      />
      <FilterSelect
        label={filters.status}
        none={filters.anyStatus}
        options={statuses}
        value={search.status}
        onChange={(value) => change({ status: value })}
      />
      <FilterSelect
        label={filters.workflow}
        none={filters.anyWorkflow}
        options={workflows}
        value={search.workflow}
        onChange={(workflow) => change({ workflow })}
      />
      <SearchInput
        label={filters.agent}
        placeholder={filters.agentHint}
        value={search.agent ?? ''}
        onChange={(agent) => change({ agent })}
      />
      <FilterSelect
        label={filters.changed}
        none={filters.anyTime}
        options={Object.entries(ages).map(([key, { label }]) => [key, label] as const)}
        value={search.age}
        onChange={(age) => change({ age })}
      />
      {Object.keys(search).length > 0 && (
        <button
          type="button"
          className="button button-quiet"
          onClick={() => void navigate({ search: {}, replace: true })}
        >
          <X size={16} aria-hidden />
          {filters.clear}
        </button>
      )}
    </search>
  );
}

interface SessionsSearch {
  readonly status?: string;
  readonly workflow?: string;
  readonly agent?: string;
  readonly text?: string;
  readonly parent?: string;
  /** A key of {@link ages}. */
  readonly age?: string;
}

const ages: Readonly<Record<string, { readonly label: string; readonly hours: number }>> = {
  hour: { label: filters.ages.hour, hours: 1 },
  day: { label: filters.ages.day, hours: 24 },
  week: { label: filters.ages.week, hours: 168 },
  month: { label: filters.ages.month, hours: 720 },
};

export function readSessionsSearch(search: Readonly<Record<string, unknown>>): SessionsSearch {
  const { status, workflow, agent, text, parent, age } = search;
  return textParams({ status, workflow, agent, text, parent, age });
}

/**
 * Converts the filters to a query for the server. Times are rounded to the minute, so that the cache key stays the
 * same for a while.
 */
function filterOf({ age, ...rest }: SessionsSearch, nowMs: number): SessionsFilter {
  const span = age !== undefined && Object.hasOwn(ages, age) ? ages[age] : undefined;
  if (span === undefined) return rest;
  const since = Math.floor(nowMs / 60_000) * 60_000 - span.hours * 3_600_000;
  return { ...rest, since: new Date(since).toISOString() };
}
