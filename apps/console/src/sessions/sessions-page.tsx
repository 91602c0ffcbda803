import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { Timer, X } from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';
import { lazy, memo, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { textParams } from '../api/client.ts';
import type { SessionsFilter } from '../api/queries.ts';
import { catalogueQuery, sessionsQuery } from '../api/queries.ts';
import { Button, filterProps, FilterSelect, SearchInput } from '../components/controls.tsx';
import { formatDuration } from '../components/format.ts';
import { Loaded, EmptyState, Notice } from '../components/notice.tsx';
import {
  AuthenticityTags,
  OutcomeTag,
  SessionStatusTag,
  sessionTitle,
  StatusCounts,
  workflowName,
  SessionLink,
} from '../components/tags.tsx';
import { exactTime, TimeSince } from '../components/time.tsx';
import type { SessionListRow } from '../contract/index.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { Page, useMe } from '../shell/page.tsx';
import { focusSearch, useShortcuts } from '../shell/shortcuts.tsx';
import { ages, changedIn, idleTimes } from './ages.ts';
import { SavedViews } from './saved-views.tsx';

const { list: messages, filters, status: statusTexts } = sessionMessages;

const route = getRouteApi('/sessions');

/** Renders every session, most recently changed first. */
export function SessionsPage(): ReactNode {
  const search = route.useSearch();
  const { may, principal } = useMe();
  const filter = useMemo((): SessionsFilter => {
    const { age, ...rest } = search;
    return { ...rest, ...changedIn(age, Date.now()) };
  }, [search]);
  const query = useInfiniteQuery(sessionsQuery(filter));
  useShortcuts(keys.title, listShortcuts);
  const counts = query.data?.pages[0]?.counts;
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page
      title={messages.title}
      lead={leadOf(may.sees === 'own' ? principal : undefined, isFiltered)}
      actions={
        counts !== undefined && (
          <>
            {isFiltered && <span className="small muted">{messages.inAll}</span>}
            <StatusCounts counts={counts} />
          </>
        )
      }
    >
      <SavedViews page="/sessions" search={search} />
      <SessionFilters />
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap(({ sessions }) => sessions);
          const behind = pages[0]?.behind ?? 0;
          if (rows.length === 0) return <NoSessions isFiltered={isFiltered} />;
          return (
            <>
              {behind > 0 && <Notice title={filters.behind(behind)}>{filters.behindNext}</Notice>}
              <p className="small muted" role="status">
                {messages.count(rows.length, query.hasNextPage)}
              </p>
              <SessionsList
                rows={rows}
                hasMore={query.hasNextPage}
                isLoading={query.isFetchingNextPage}
                onMore={() => void query.fetchNextPage()}
              />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** Says which sessions the list has: those of a principal, or all. */
function leadOf(principal: string | undefined, isFiltered: boolean): string {
  if (principal === undefined) return isFiltered ? messages.allFound : messages.all;
  return isFiltered ? messages.ownFound(principal) : messages.own(principal);
}

function NoSessions({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered) return <EmptyState title={messages.noMatch}>{messages.noMatchNext}</EmptyState>;
  return <EmptyState title={messages.empty}>{messages.emptyNext}</EmptyState>;
}

const statuses = [
  ['active,blocked,parked', filters.open],
  ['active,blocked', filters.live],
  ['active', statusTexts.active],
  ['blocked', statusTexts.blocked],
  ['parked', statusTexts.parked],
  ['completed', statusTexts.completed],
] as const;

const changes = [
  ...Object.entries(ages).map(([key, { label }]) => [key, filters.within(label)] as const),
  ...Object.entries(idleTimes).map(([key, { label }]) => [key, label] as const),
];

/** Renders the filters of the messages. Every change is written to the URL. */
function SessionFilters(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const catalogue = useQuery(catalogueQuery);
  const show = (next: Partial<Record<keyof SessionsSearch, string | undefined>>): void => {
    void navigate({ search: textParams(next), replace: true });
  };
  const filter = filterProps(search, show);
  const workflows = catalogue.data?.workflows.map(({ id, name }) => [id, name] as const) ?? [];
  const isAboutFollowing = search.tag !== undefined && Object.hasOwn(filters.followedAnswers, search.tag);
  return (
    <search className="filters filters-sessions">
      <SearchInput
        label={filters.search}
        placeholder={filters.searchHint}
        value={search.search ?? search.text ?? ''}
        onChange={(words) => show({ ...search, search: words, text: undefined })}
      />
      <FilterSelect
        label={filters.status}
        none={filters.anyStatus}
        options={statuses}
        {...filter('status')}
      />
      <FilterSelect
        label={filters.workflow}
        none={filters.anyWorkflow}
        options={workflows}
        {...filter('workflow')}
      />
      <SearchInput label={filters.agent} placeholder={filters.agentHint} {...filter('agent')} />
      <FilterSelect label={filters.changed} none={filters.anyTime} options={changes} {...filter('age')} />
      <FilterSelect
        label={filters.followed}
        none={filters.followedOrNot}
        options={Object.entries(filters.followedAnswers)}
        value={isAboutFollowing ? search.tag : undefined}
        onChange={(tag) => show({ ...search, tag })}
      />
      <FilterSelect
        label={filters.sort}
        none={filters.lastChanged}
        options={Object.entries(filters.sorts)}
        {...filter('sort')}
      />
      {Object.keys(search).length > 0 && (
        <Button look="quiet" icon={X} onClick={() => show({})}>
          {filters.clear}
        </Button>
      )}
      {search.tag !== undefined && !isAboutFollowing && (
        <Button size="small" className="filters-tag" onClick={() => show({ ...search, tag: undefined })}>
          <Suspense>
            <FigureTitle tag={search.tag} workflow={search.workflow} />
          </Suspense>
          <X size={14} aria-hidden />
        </Button>
      )}
    </search>
  );
}

/** It is loaded apart, because it needs the meaning of every error code. */
const FigureTitle = lazy(async () => ({
  default: (await import('../insights/figure-title.tsx')).FigureTitle,
}));

export interface SessionsSearch extends Omit<SessionsFilter, 'since' | 'before'> {
  /** A key of {@link ages} or {@link idleTimes}. */
  readonly age?: string;
}

/** Moves the focus from row to row. Only rows near the visible ones are rendered, and focusing one scrolls to it. */
function focusRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('.sessions-body .sessions-name a')].toSorted(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  );
  const at = links.indexOf(document.activeElement as HTMLElement);
  const first = links.findIndex((link) => link.getBoundingClientRect().top > 0);
  links[at === -1 ? Math.max(0, first) : at + step]?.focus();
}

const { shortcuts: keys } = sessionMessages;

const listShortcuts = [
  { keys: '/', label: keys.search, run: focusSearch },
  { keys: 'j', label: keys.next, run: () => focusRow(1) },
  { keys: 'k', label: keys.previous, run: () => focusRow(-1) },
];

/** In pixels. A row is measured once it is rendered. */
const estimatedHeight = 54;
/** How many rows before the end the next page is loaded. */
const nearEnd = 20;

interface SessionsListProps {
  readonly rows: readonly SessionListRow[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly onMore: () => void;
}

/** Renders a list of sessions of any length. It renders only the visible rows, and loads more near the end. */
function SessionsList(props: SessionsListProps): ReactNode {
  const { rows, hasMore, isLoading } = props;
  return (
    <div
      className="sessions"
      role="table"
      aria-label={messages.label}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
    >
      <div className="sessions-head" role="rowgroup">
        <div className="sessions-row" role="row" aria-rowindex={1}>
          {messages.columns.map((name) => (
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
        </div>
      </div>
      <VisibleRows {...props} />
      {isLoading && (
        <p className="sessions-more" role="status">
          {messages.loadingMore}
        </p>
      )}
    </div>
  );
}

function VisibleRows({ rows, hasMore, isLoading, onMore }: SessionsListProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset(list.current?.offsetTop ?? 0), []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => estimatedHeight,
    overscan: 12,
    scrollMargin: offset,
    getItemKey: (at) => rows[at]?.sid ?? at,
  });
  const near = virtualizer.getVirtualItems();
  const last = near.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoading && last >= rows.length - nearEnd) onMore();
  }, [hasMore, isLoading, last, rows.length, onMore]);
  return (
    <div className="sessions-body" role="rowgroup" ref={list} style={{ height: virtualizer.getTotalSize() }}>
      {near.map(({ index, start, key }) => {
        const row = rows[index];
        if (row === undefined) return null;
        return (
          <div
            key={key}
            className="sessions-row"
            role="row"
            aria-rowindex={index + 2}
            data-index={index}
            onClick={openRow}
            ref={virtualizer.measureElement}
            style={{ transform: `translateY(${start - offset}px)` }}
          >
            <SessionCells row={row} />
          </div>
        );
      })}
    </div>
  );
}

/** Opens the session of a row at a click anywhere in it, as its link does. A selection of text opens nothing. */
function openRow({ target, currentTarget, ctrlKey, metaKey, shiftKey }: MouseEvent<HTMLElement>): void {
  if ((target as Element).closest('a') !== null || getSelection()?.isCollapsed === false) return;
  const click = new globalThis.MouseEvent('click', {
    bubbles: true,
    cancelable: true,
    ctrlKey,
    metaKey,
    shiftKey,
  });
  currentTarget.querySelector('a')?.dispatchEvent(click);
}

/** Says where a session is, or how it ended. */
function Position({ row }: { readonly row: SessionListRow }): ReactNode {
  const { problem, ended, outcome, status, checkpointName, currentName } = row;
  if (problem !== undefined) return problem;
  // The status of an abandoned session says how it ended, so this says where.
  if (outcome === 'abandoned') return currentName ?? null;
  if (ended !== undefined) return <OutcomeTag ended={ended} />;
  if (status === 'completed') return null;
  return checkpointName ?? currentName ?? <span className="muted">{messages.beforeFirst}</span>;
}

/** Says how long a session took, or has taken so far. A tooltip says when it started. */
function Duration({ row: { createdAt, updatedAt, status } }: { readonly row: SessionListRow }): ReactNode {
  if (status !== 'completed') return <TimeSince at={createdAt} isShort />;
  const started = exactTime(createdAt);
  const seconds = (Date.parse(updatedAt) - Date.parse(createdAt)) / 1000;
  return <span title={started && messages.started(started)}>{formatDuration(seconds, 1)}</span>;
}

const SessionCells = memo(function SessionsListRow({ row }: { readonly row: SessionListRow }): ReactNode {
  const { sid, progress, agent, updatedAt } = row;
  return (
    <>
      <span role="cell" className="sessions-status">
        <SessionStatusTag session={row} />
      </span>
      <span role="cell" className="sessions-name">
        <span className="row">
          <SessionLink sid={sid} className="title-link focus-inside">
            {sessionTitle(row)}
          </SessionLink>
          <AuthenticityTags session={row} />
        </span>
        <span className="small muted">
          {row.subject !== undefined && <>{workflowName(row)} · </>}
          <code>{sid.slice(0, 8)}</code>
        </span>
      </span>
      <span role="cell" className="sessions-at clamped">
        <Position row={row} />
      </span>
      <span role="cell" className="sessions-progress">
        <progress max={Math.max(progress.of, 1)} value={progress.done} aria-label={messages.progress} />
        <span className="small muted">
          {progress.done}/{progress.of}
        </span>
      </span>
      <span role="cell" className="sessions-agent" title={agent}>
        {agent}
      </span>
      <span role="cell" className="sessions-duration muted">
        <Timer size={13} aria-label={messages.duration} />
        <Duration row={row} />
      </span>
      <span role="cell" className="sessions-when muted">
        <TimeSince at={updatedAt} />
      </span>
    </>
  );
});
