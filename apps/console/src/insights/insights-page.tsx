import '../styles/insights.css';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { defined } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { toQueryString } from '../api/client.ts';
import { catalogueQuery, insightsQuery } from '../api/queries.ts';
import { DownloadButton } from '../components/download-button.tsx';
import { formatDuration, formatEstimate, formatNumber, percent } from '../components/format.ts';
import { filterProps, FilterSelect } from '../components/controls.tsx';
import { EmptyState, Loaded, Notice } from '../components/notice.tsx';
import { TimeSince } from '../components/time.tsx';
import type { InsightsReply } from '../contract/index.ts';
import { insightMessages as messages } from '../messages/insights.ts';
import { ages, changedIn } from '../sessions/ages.ts';
import { SavedViews } from '../sessions/saved-views.tsx';
import { Page } from '../shell/page.tsx';
import { Behind } from './figure-parts.tsx';
import {
  ActivityFigures,
  AgentFigures,
  AgentRefusalFigures,
  EvidenceFigures,
  HookFigures,
  LargestSessions,
  OutcomeFigures,
  PeopleFigures,
  RefusalFigures,
  WorkflowFigures,
} from './figure-tables.tsx';
import { DataTable } from '../components/lists.tsx';

const route = getRouteApi('/insights');

/** Renders the figures over all sessions or those of one workflow. */
export function InsightsPage(): ReactNode {
  const search = route.useSearch();
  const { workflow, age } = search;
  const filter = useMemo(() => {
    const { since } = changedIn(age, Date.now());
    return defined({ workflow, since });
  }, [workflow, age]);
  const query = useQuery(insightsQuery(filter));
  return (
    <Page
      title={messages.title}
      lead={messages.lead}
      actions={
        <DownloadButton
          path={`/insights/csv${toQueryString(filter)}`}
          nameOf={() => csvName(search, Date.now())}
        >
          {messages.csv}
        </DownloadButton>
      }
    >
      <SavedViews page="/insights" search={search} />
      <InsightFilters />
      <Loaded query={query}>{(insights) => <Figures insights={insights} />}</Loaded>
    </Page>
  );
}

/** What the URL of the insights says. */
export interface InsightsSearch {
  readonly workflow?: string;
  /** A key of the ages of sessions, so that a figure leads to the sessions of the same period. */
  readonly age?: string;
}

/** Returns a file name for the figures that says what they are about: `insights-shop-last-7-days-2026-03-01.csv`. */
function csvName({ workflow = 'all workflows', age = '' }: InsightsSearch, nowMs: number): string {
  const period = Object.hasOwn(ages, age) ? ages[age]?.label : undefined;
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const words = ['insights', workflow, (period ?? 'any time').replace(/^the /, ''), day];
  return `${words.map((word) => word.replaceAll(/[^\p{L}\p{N}_.]+/gu, '-')).join('-')}.csv`;
}

const periods = ['week', 'month', 'quarter'].map((key) => [key, ages[key]?.label ?? key] as const);

function InsightFilters(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const catalogue = useQuery(catalogueQuery);
  const workflows = catalogue.data?.workflows.map(({ id, name }) => [id, name] as const) ?? [];
  const filter = filterProps(search, (next) => void navigate({ search: next, replace: true }));
  return (
    <search className="filters filters-two">
      <FilterSelect
        label={messages.filters.workflow}
        none={messages.filters.anyWorkflow}
        options={workflows}
        {...filter('workflow')}
      />
      <FilterSelect
        label={messages.filters.period}
        none={messages.filters.anyTime}
        options={periods}
        {...filter('age')}
      />
    </search>
  );
}

function Figures({ insights }: { readonly insights: InsightsReply }): ReactNode {
  const { behind, unverified, sessions } = insights;
  return (
    <>
      {behind > 0 && <Notice title={messages.behind(behind)}>{messages.behindNext}</Notice>}
      {unverified > 0 && (
        <Notice tone="waits" title={messages.unverified(unverified)}>
          {messages.unverifiedNext}
        </Notice>
      )}
      {sessions === 0 ? (
        <EmptyState title={messages.empty}>{messages.emptyNext}</EmptyState>
      ) : (
        <>
          <Tiles insights={insights} />
          <div className="columns insights-wide">
            <DayChart days={insights.days} />
            <OutcomeFigures {...insights} />
          </div>
          <WorkflowFigures {...insights} />
          <RefusalFigures {...insights} />
          <AgentFigures {...insights} />
          <AgentRefusalFigures {...insights} />
          <ActivityFigures {...insights} />
          <EvidenceFigures {...insights} />
          <LargestSessions {...insights} />
          <div className="two-columns insights-pair">
            <PeopleFigures {...insights} />
            <HookFigures {...insights} />
          </div>
          <p className="small muted">
            {messages.output(formatNumber(insights.output.median), formatNumber(insights.output.p90))}
          </p>
        </>
      )}
    </>
  );
}

function Tiles({ insights }: { readonly insights: InsightsReply }): ReactNode {
  const { sessions, running, followed, duration, calls, readTokens, waiting } = insights;
  const { tiles } = messages;
  return (
    <ul className="tiles" aria-label={tiles.label}>
      <Tile name={tiles.sessions} value={formatNumber(sessions)}>
        {tiles.sessionsDetail(running)}
      </Tile>
      <Tile
        name={tiles.followed}
        value={percent(followed.sessions, followed.of)}
        search={{ tag: followed.sessions < followed.of ? 'departed' : 'followed' }}
      >
        <span title={tiles.followedNote}>{tiles.followedDetail(followed.sessions, followed.of)}</span>
      </Tile>
      <Tile
        name={tiles.duration}
        value={duration.count === 0 ? '–' : formatDuration(duration.median)}
        search={{ status: 'completed', sort: 'longest' }}
      >
        {duration.count === 0 ? tiles.noneCompleted : tiles.durationDetail(formatDuration(duration.p90))}
      </Tile>
      <Tile
        name={tiles.refused}
        value={percent(calls.refused, calls.total)}
        search={{ tag: calls.refusedTag }}
      >
        {tiles.refusedDetail(calls.refused, formatNumber(calls.total))}
      </Tile>
      <Tile name={tiles.calls} value={formatNumber(calls.median)}>
        {tiles.callsDetail(calls.p90)}
        {readTokens.sessions > 0 && (
          <>
            <br />
            {tiles.readDetail(formatEstimate(readTokens.median))}
          </>
        )}
      </Tile>
      <Tile name={tiles.waiting} value={formatNumber(waiting.checkpoints)} search={{ status: 'blocked' }}>
        {waiting.since === undefined ? (
          tiles.waitingNone
        ) : (
          <>
            {tiles.waitingSince}
            <TimeSince at={waiting.since} />
          </>
        )}
      </Tile>
    </ul>
  );
}

function Tile({
  name,
  value,
  search,
  children,
}: {
  readonly name: string;
  readonly value: string;
  /** Filters for the sessions behind the figure, besides those of the page. */
  readonly search?: Readonly<Record<string, string>>;
  readonly children: ReactNode;
}): ReactNode {
  const within = route.useSearch();
  return (
    <li>
      <Link className="tile" to="/sessions" search={{ ...within, ...search }}>
        <span className="small muted">{name}</span>
        <strong>{value}</strong>
        <span className="small muted">{children}</span>
      </Link>
    </li>
  );
}

const { days: dayMessages } = messages;

type Day = InsightsReply['days'][number];

/** From the bottom of a bar to its top. */
const results = ['success', 'other', 'stopped', 'failure', 'running'] as const;
type Result = (typeof results)[number];
/** More bars would be too thin to point at. */
const maxDays = 60;
/** As in the style sheet. */
const maxBarRem = 6;

/**
 * Renders a bar for each day, stacked by how the sessions ended. Each part leads to its sessions, and the space above the
 * bar to all sessions of the day. A table below has the same figures.
 */
function DayChart({ days }: Pick<InsightsReply, 'days'>): ReactNode {
  const shown = everyDay(days).slice(-maxDays);
  const most = Math.max(1, ...shown.map(({ sessions }) => sessions));
  const used = results.filter((result) => shown.some((day) => day[result] > 0));
  return (
    <section className="card stack">
      <h2>{dayMessages.title}</h2>
      <ul className="chart-key" aria-hidden>
        {used.map((result) => (
          <li key={result} data-result={result}>
            {dayMessages.results[result]}
          </li>
        ))}
      </ul>
      <ol className="chart" aria-label={dayMessages.label}>
        {shown.map((day) => (
          <li key={day.day}>
            {day.sessions > 0 && (
              <>
                <DayLink tag={day.tag} label={dayMessages.bar(day.day, countsOf(day))} />
                <span className="chart-bar" style={{ height: `${(100 * day.sessions) / most}%` }}>
                  {used
                    .toReversed()
                    .filter((result) => day[result] > 0)
                    .map((result) => (
                      <DayLink
                        key={result}
                        tag={day.resultTags[result]}
                        label={dayMessages.bar(day.day, countsOf(day, [result]))}
                        result={result}
                        share={day[result]}
                      />
                    ))}
                </span>
              </>
            )}
          </li>
        ))}
      </ol>
      <p className="row-apart small muted chart-days" style={{ maxWidth: `${shown.length * maxBarRem}rem` }}>
        <span>{shown[0]?.day}</span>
        {(shown[0]?.day ?? '') > (days[0]?.day ?? '') && <span>{dayMessages.only(maxDays)}</span>}
        {shown.length > 1 && <span>{shown.at(-1)?.day}</span>}
      </p>
      <details className="chart-table">
        <summary>{dayMessages.table}</summary>
        <DayTable used={used} days={shown.filter(({ sessions }) => sessions > 0)} />
      </details>
    </section>
  );
}

/** Leads from a bar, or from one part of it, to its sessions. */
function DayLink({
  tag,
  label,
  result,
  share,
}: {
  readonly tag: string;
  readonly label: string;
  readonly result?: Result;
  readonly share?: number;
}): ReactNode {
  const search = { ...route.useSearch(), tag };
  return (
    <Link
      to="/sessions"
      search={search}
      aria-label={label}
      title={label}
      data-result={result}
      style={{ flexGrow: share }}
    />
  );
}

const noSessions = {
  tag: '',
  resultTags: { success: '', failure: '', stopped: '', other: '', running: '' },
  sessions: 0,
  success: 0,
  failure: 0,
  stopped: 0,
  other: 0,
  running: 0,
  refused: 0,
};
const dayMs = 86_400_000;

/** Adds the days without sessions, at most as many as are shown, so that a pause is seen as one. */
function everyDay(days: readonly Day[]): readonly Day[] {
  const last = Date.parse(days.at(-1)?.day ?? '');
  const first = Math.max(Date.parse(days[0]?.day ?? ''), last - (maxDays - 1) * dayMs);
  const known = new Map(days.map((day) => [day.day, day]));
  const all: Day[] = [];
  for (let atMs = first; atMs <= last; atMs += dayMs) {
    const day = new Date(atMs).toISOString().slice(0, 10);
    all.push(known.get(day) ?? { day, ...noSessions });
  }
  return all;
}

function countsOf(day: Day, counted: readonly Result[] = results): string {
  const counts = counted.filter((result) => day[result] > 0);
  return counts.map((result) => `${day[result]} ${dayMessages.results[result]}`).join(', ');
}

function DayTable({
  days,
  used,
}: {
  readonly days: readonly Day[];
  readonly used: readonly Result[];
}): ReactNode {
  const { columns } = messages;
  return (
    <DataTable
      label={dayMessages.label}
      rows={days.toReversed()}
      keyOf={({ day }) => day}
      columns={[
        { name: columns.day, cell: ({ day }) => day },
        {
          name: columns.sessions,
          isNumber: true,
          cell: ({ sessions, tag }) => <Behind value={sessions} tag={tag} />,
        },
        ...used.map((result) => ({
          name: dayMessages.results[result],
          isNumber: true,
          cell: (day: Day) => <Behind value={day[result]} tag={day.resultTags[result]} />,
        })),
        { name: columns.refused, isNumber: true, cell: ({ refused }) => formatNumber(refused) },
      ]}
    />
  );
}
