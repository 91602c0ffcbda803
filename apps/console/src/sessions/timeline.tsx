import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Timer } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useMemo } from 'react';
import { journalQuery } from '../api/queries.ts';
import { Button, filterProps, FilterSelect } from '../components/controls.tsx';
import { formatDuration } from '../components/format.ts';
import { EmptyState, Loaded } from '../components/notice.tsx';
import { RenderedText } from '../components/rendered-text.tsx';
import { ToneIcon } from '../components/tags.tsx';
import { Moment, TimeSince } from '../components/time.tsx';
import { RefusedOutputView } from '../components/values.tsx';
import type { EventsPage, SessionDetail } from '../contract/index.ts';
import { commonMessages } from '../messages/common.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { PartOutline } from '../workflows/outline.tsx';
import { sessionNames, splitInstance } from './session-names.ts';
import type { EntryKind, TimelineEntry, TimelineOutput, TimelineSums } from './timeline-entries.ts';
import { timelineEntries } from './timeline-entries.ts';

const { events: messages, timeline: texts } = sessionMessages;

const route = getRouteApi('/sessions/$sid');

/** Renders what happened in a session: the events of its journal and the refused calls, in one order. */
export function TimelineTab({ session }: { readonly session: SessionDetail }): ReactNode {
  const query = useInfiniteQuery(journalQuery(session.row.sid));
  const { show, activity } = route.useSearch();
  const isFiltered = show !== undefined || activity !== undefined;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    // Entries that match the filter may be on a later page, so load all pages.
    if (isFiltered && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isFiltered, hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <Loaded query={query}>
      {({ pages }) => (
        <>
          <Timeline session={session} pages={pages} />
          {hasNextPage && (
            <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {messages.more}
            </Button>
          )}
        </>
      )}
    </Loaded>
  );
}

const kinds: readonly EntryKind[] = ['move', 'checkpoint', 'refused', 'other'];

function Timeline({
  session,
  pages,
}: {
  readonly session: SessionDetail;
  readonly pages: readonly EventsPage[];
}): ReactNode {
  const { show, activity, to } = route.useSearch();
  const { entries, sums } = useMemo(
    () =>
      timelineEntries(
        pages.flatMap(({ events }) => events),
        session.history.refusals,
        sessionNames(session.outline),
        { ...session.row, checkpoints: session.history.checkpoints },
      ),
    [pages, session],
  );
  const lastEvent = entries.findLast(({ revision }) => revision !== undefined);
  const shown = entries.filter(
    (entry) => (show === undefined || entry.kind === show) && isAbout(entry, activity, to),
  );
  return (
    <>
      <TimelineFilters session={session} sums={sums} />
      {activity !== undefined && <PartOutline outline={session.outline} id={activity} />}
      {shown.length === 0 && <EmptyState title={texts.noMatch}>{texts.noMatchNext}</EmptyState>}
      {(shown.length > 0 || activity === undefined) && (
        <ol className="timeline card" aria-label={texts.label}>
          {shown.map((entry) => (
            <TimelineRow key={entry.key} entry={entry} />
          ))}
          {pages.at(-1)?.next === undefined && <NowRow session={session} since={lastEvent?.at} />}
        </ol>
      )}
    </>
  );
}

/** Returns whether an entry is about an activity or, with `to`, a move from it to another one. */
function isAbout(entry: TimelineEntry, activity: string | undefined, to: string | undefined): boolean {
  if (activity === undefined) return true;
  const [from, about] = [entry.from, entry.to].map((id) => id && splitInstance(id).step);
  if (to !== undefined) return from === activity && (about ?? '') === (to === endOf ? '' : to);
  return from === activity || about === activity;
}

/** The value of the filter `to` for the end of the session. */
const endOf = 'end';

function TimelineFilters({
  session: { history, outline },
  sums,
}: {
  readonly session: SessionDetail;
  readonly sums: TimelineSums;
}): ReactNode {
  const { show, activity, to } = route.useSearch();
  const navigate = route.useNavigate();
  const filter = filterProps({ tab: 'timeline', show, activity }, (search) => {
    void navigate({ search, replace: true, resetScroll: false });
  });
  const names = sessionNames(outline);
  return (
    <div className="timeline-head">
      <FilterSelect
        label={texts.show}
        none={texts.everything}
        options={kinds.map((kind) => [kind, texts.kinds[kind]] as const)}
        {...filter('show')}
      />
      <FilterSelect
        label={texts.activity}
        none={texts.everyActivity}
        options={history.plan.map(({ id, name }) => [id, name] as const)}
        {...filter('activity')}
      />
      {activity !== undefined && to !== undefined && (
        <p className="small">
          {texts.only(names.activity(activity), to === endOf ? texts.end : names.activity(to))}
        </p>
      )}
      <p className="row small muted timeline-sums">
        {sums.beforeMs !== undefined && <span>{texts.before(formatDuration(sums.beforeMs / 1000))}</span>}
        <span>
          {texts.worked(sums.workedMs === undefined ? undefined : formatDuration(sums.workedMs / 1000))}
        </span>
        {sums.waitedMs > 0 && <span>{texts.waited(formatDuration(sums.waitedMs / 1000))}</span>}
        {sums.parkedMs > 0 && <span>{texts.parked(formatDuration(sums.parkedMs / 1000))}</span>}
        {history.refusals.length > 0 && <span>{texts.refused(history.refusals.length)}</span>}
      </p>
    </div>
  );
}

function TimelineRow({
  entry: { at, sharesSecond, revision, tone, title, span, lines, outputs, answer },
}: {
  readonly entry: TimelineEntry;
}): ReactNode {
  return (
    <li data-tone={tone}>
      <ToneIcon tone={tone} size={16} />
      <div className="stack-tight">
        <span className="row-apart">
          <strong>{title}</strong>
          <span className="small muted">
            {revision !== undefined && messages.number(revision)}
            <Moment at={at} hasMilliseconds={sharesSecond} />
          </span>
        </span>
        {span !== undefined && (
          <p className="small timeline-span">
            <Timer size={13} aria-hidden />
            {span}
          </p>
        )}
        {lines.map((line) => (
          <p key={line} className="small muted">
            {line}
          </p>
        ))}
        {outputs.map((output) => (
          <OutputDetails key={output.step} output={output} />
        ))}
        {answer !== undefined && outputs.length === 0 && <p className="small">{answer}</p>}
        {answer !== undefined && outputs.length > 0 && (
          <details>
            <summary className="small">{messages.told}</summary>
            <p className="small">{answer}</p>
          </details>
        )}
      </div>
    </li>
  );
}

/** Renders an accepted output, closed at first, or a refused one beside what it missed. */
function OutputDetails({ output: { step, output, issues } }: { readonly output: TimelineOutput }): ReactNode {
  const label = commonMessages.output.label(step);
  if (issues === undefined)
    return (
      <details>
        <summary className="small">{label}</summary>
        <RenderedText text={output} label={label} />
      </details>
    );
  return (
    <div className="stack-tight">
      <span className="small muted">{label}</span>
      <RefusedOutputView step={step} output={output} issues={issues} />
    </div>
  );
}

/** Says what an open session does now, and for how long. */
function NowRow({
  session: { row, outline },
  since,
}: {
  readonly session: SessionDetail;
  readonly since: string | undefined;
}): ReactNode {
  if (row.status === 'completed' || row.current === undefined || since === undefined) return null;
  const names = sessionNames(outline);
  const tone = row.status === 'blocked' ? 'waits' : row.status === 'parked' ? 'skipped' : 'current';
  const title =
    row.checkpoint === undefined
      ? messages.now(names.activity(row.current), row.status === 'parked')
      : messages.nowWaits(names.checkpoint(row.checkpoint));
  return (
    <li data-tone={tone}>
      <ToneIcon tone={tone} size={16} />
      <span className="row-apart">
        <strong>{title}</strong>
        <span className="small timeline-span">
          <Timer size={13} aria-hidden />
          <TimeSince at={since} isShort />
          {messages.sinceLast}
        </span>
      </span>
    </li>
  );
}
