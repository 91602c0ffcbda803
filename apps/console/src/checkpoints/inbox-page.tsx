import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useMemo, useState } from 'react';
import { checkpointsQuery, sessionQuery } from '../api/queries.ts';
import { Button, filterProps, FilterSelect, SearchInput } from '../components/controls.tsx';
import { Loaded, EmptyState } from '../components/notice.tsx';
import { workflowName, SessionLink } from '../components/tags.tsx';
import type { CheckpointListRow, CheckpointsReply } from '../contract/index.ts';
import { answerText, checkpointMessages } from '../messages/checkpoints.ts';
import { sessionNames } from '../sessions/session-names.ts';
import { Page } from '../shell/page.tsx';
import { focusSearch, useShortcuts } from '../shell/shortcuts.tsx';
import { AnsweredList } from './answered-list.tsx';
import { CheckpointDetail } from './checkpoint-detail.tsx';
import type { InboxView } from './inbox-list.tsx';
import {
  arrange,
  emptyList,
  groupings,
  InboxList,
  isUrgent,
  keepStable,
  orders,
  refreshList,
} from './inbox-list.tsx';
import { NotificationSwitch } from './notifications.tsx';
import { checkpointKey, useOutbox } from './outbox.ts';
import { AnsweredBy } from './question-text.tsx';

const { page: messages, keys, list: listTexts, filters: filterTexts, answered } = checkpointMessages;

const route = getRouteApi('/checkpoints');

/** Renders the checkpoints that need an answer: the list on the left, the chosen one on the right. */
export function InboxPage(): ReactNode {
  const query = useQuery(checkpointsQuery);
  const isAnswered = route.useSearch().view === 'answered';
  return (
    <Page
      title={messages.title}
      lead={isAnswered ? answered.lead : messages.lead}
      actions={<InboxActions isAnswered={isAnswered} />}
    >
      {isAnswered ? <AnsweredList /> : <Loaded query={query}>{(reply) => <Inbox reply={reply} />}</Loaded>}
    </Page>
  );
}

function InboxActions({ isAnswered }: { readonly isAnswered: boolean }): ReactNode {
  const navigate = route.useNavigate();
  return (
    <>
      <span className="row" role="group" aria-label={answered.views}>
        <Button aria-pressed={!isAnswered} onClick={() => void navigate({ search: {} })}>
          {answered.waiting}
        </Button>
        <Button aria-pressed={isAnswered} onClick={() => void navigate({ search: { view: 'answered' } })}>
          {answered.view}
        </Button>
      </span>
      <span className="small muted shortcut-hint">
        <kbd>?</kbd> {messages.shortcuts}
      </span>
      <NotificationSwitch />
    </>
  );
}

function Inbox({ reply }: { readonly reply: CheckpointsReply }): ReactNode {
  const search = route.useSearch();
  const { sid } = search;
  const view = useMemo((): InboxView => {
    const { sid: _sid, ...rest } = search;
    return rest;
  }, [search]);
  const navigate = route.useNavigate();
  const { checkpoints } = reply;
  const [list, setList] = useState(() => keepStable(emptyList, checkpoints));
  useEffect(() => setList((before) => keepStable(before, checkpoints)), [checkpoints]);
  const rows = useMemo(() => arrange(list.rows, view), [list.rows, view]);
  // A row that was answered stays in the list for a while, but it no longer waits.
  const waiting = useMemo(() => new Set(checkpoints.map(checkpointKey)), [checkpoints]);
  const isChosen = sid !== undefined;
  // On a wide screen, the first one is shown until another one is chosen. An address never shows another one than its
  // own.
  const shown = isChosen
    ? (list.rows.find((row) => row.sid === sid) ?? checkpoints.find((row) => row.sid === sid))
    : rows[0];
  const choose = (row: CheckpointListRow): void =>
    void navigate({ search: { ...view, sid: row.sid }, replace: isChosen });
  const clearFilters = (): void => {
    const { text: _text, workflow: _workflow, needs: _needs, ...rest } = search;
    void navigate({ search: rest, replace: true });
  };
  const back = (): void => void navigate({ search: view, replace: true });
  const refreshAndShow = (): void => {
    const isGone = shown === undefined || list.gone.has(checkpointKey(shown));
    // Keep the current checkpoint, even if another one is now first in the list.
    if (!isGone && !isChosen && isWide()) choose(shown);
    if (isGone && isChosen) back();
    setList(refreshList);
  };
  const step = (by: number): void => {
    const at = rows.findIndex((row) => shown !== undefined && checkpointKey(row) === checkpointKey(shown));
    const next = rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
    if (next !== undefined) choose(next);
  };
  useShortcuts(keys.list, [
    { keys: 'j', label: keys.next, run: () => step(1) },
    { keys: 'k', label: keys.previous, run: () => step(-1) },
    ...scrollKeys,
    { keys: 'r', label: keys.refresh, run: refreshAndShow },
    { keys: '/', label: keys.search, run: focusSearch },
  ]);
  if (list.rows.length === 0 && !isChosen)
    return <EmptyState title={messages.empty}>{messages.emptyNext}</EmptyState>;
  return (
    <div className="inbox" data-chosen={isChosen || undefined}>
      <section className="inbox-side" aria-label={messages.list}>
        <InboxFilters
          view={view}
          rows={list.rows}
          onChange={(next) =>
            void navigate({ search: { ...next, ...(sid !== undefined && { sid }) }, replace: true })
          }
        />
        <ListState
          count={rows.filter((row) => waiting.has(checkpointKey(row))).length}
          all={reply.waiting}
          isNoneUrgent={view.order === 'urgent' && !rows.some(isUrgent)}
          fresh={list.fresh.length}
          gone={list.gone.size}
          onRefresh={refreshAndShow}
        />
        {rows.length === 0 ? (
          <EmptyState title={listTexts.none}>
            <Button onClick={clearFilters}>{filterTexts.clear}</Button>
          </EmptyState>
        ) : (
          <InboxList rows={rows} view={view} gone={list.gone} shown={shown} isChosen={isChosen} />
        )}
      </section>
      <section className="inbox-detail" aria-label={messages.detail}>
        <Button look="quiet" className="inbox-back" icon={ArrowLeft} onClick={back}>
          {messages.back}
        </Button>
        {shown !== undefined && (
          <CheckpointDetail
            key={checkpointKey(shown)}
            sid={shown.sid}
            revision={shown.revision}
            isGone={list.gone.has(checkpointKey(shown))}
          />
        )}
        {shown !== undefined && <NextButton shown={shown} rows={rows} waiting={waiting} onNext={choose} />}
        {shown === undefined && !isChosen && <EmptyState title={listTexts.noneShown} />}
        {shown === undefined && isChosen && <NotWaiting sid={sid} />}
      </section>
    </div>
  );
}

/** Renders the last question of a session that was answered in this tab, or else the last answer of the session. */
function NotWaiting({ sid }: { readonly sid: string }): ReactNode {
  const answer = useOutbox().findLast((one) => one.sid === sid);
  const session = useQuery({ ...sessionQuery(sid), enabled: answer === undefined }).data;
  if (answer !== undefined)
    return <CheckpointDetail key={checkpointKey(answer)} sid={sid} revision={answer.revision} isGone />;
  const last = session?.history.checkpoints.findLast((wait) => wait.answered !== undefined);
  const names = session && sessionNames(session.outline);
  return (
    <EmptyState title={messages.notWaiting}>
      {last?.answered !== undefined && names !== undefined && (
        <div className="stack-tight">
          <p>
            {names.checkpoint(last.checkpoint)}:{' '}
            {answerText(last.answered.answer, names.options(last.checkpoint))}
          </p>
          <AnsweredBy answered={last.answered} />
        </div>
      )}
      <SessionLink sid={sid} search={{ tab: 'checkpoints' }}>
        {messages.answers}
      </SessionLink>
    </EmptyState>
  );
}

/** Leads from an answered checkpoint to the next one below that waits, or else to the first one. */
function NextButton({
  shown,
  rows,
  waiting,
  onNext,
}: {
  readonly shown: CheckpointListRow;
  readonly rows: readonly CheckpointListRow[];
  /** The keys of the rows that wait. */
  readonly waiting: ReadonlySet<string>;
  readonly onNext: (row: CheckpointListRow) => void;
}): ReactNode {
  const answers = new Set(useOutbox().map(checkpointKey));
  const key = checkpointKey(shown);
  const isOpen = (row: CheckpointListRow): boolean =>
    waiting.has(checkpointKey(row)) && !answers.has(checkpointKey(row));
  const at = rows.findIndex((row) => checkpointKey(row) === key);
  const next = rows.slice(at + 1).find(isOpen) ?? rows.find(isOpen);
  if (isOpen(shown) || next === undefined) return null;
  return (
    <Button look="main" className="inbox-next" onClick={() => onNext(next)}>
      {messages.next}
      <ArrowRight size={16} aria-hidden />
    </Button>
  );
}

function isWide(): boolean {
  return matchMedia('(min-width: 64.01rem)').matches;
}

/** Says how many are listed, and how many came or went since. Its place is kept, so that nothing moves. */
function ListState({
  count,
  all,
  isNoneUrgent,
  fresh,
  gone,
  onRefresh,
}: {
  readonly count: number;
  readonly all: number;
  /** The list is in the order of urgency, and no row in it is urgent. */
  readonly isNoneUrgent: boolean;
  readonly fresh: number;
  readonly gone: number;
  readonly onRefresh: () => void;
}): ReactNode {
  return (
    <div className="inbox-state small">
      <span className="muted">
        {isNoneUrgent ? messages.noneUrgent(messages.count(count, all)) : messages.count(count, all)}
      </span>
      <span role="status">
        {fresh + gone > 0 && (
          <Button size="small" look={fresh > 0 ? 'main' : undefined} onClick={onRefresh}>
            {fresh > 0 ? messages.fresh(fresh) : messages.removeGone(gone)}
          </Button>
        )}
      </span>
    </div>
  );
}

/**
 * Keys that scroll the question. Without these shortcuts, they would scroll the list or the page, which has the focus.
 */
const scrollKeys = [
  { keys: 'PageDown', label: keys.pageDown, isActive: canScrollQuestion, run: scrollQuestion },
  { keys: 'PageUp', label: keys.pageUp, isActive: canScrollQuestion, run: scrollQuestion },
  { keys: ' ', isActive: canScrollQuestion, run: scrollQuestion },
];

function questionArea(): HTMLElement | null {
  return document.querySelector<HTMLElement>('.inbox-detail .checkpoint-body');
}

function isUp({ key, shiftKey }: KeyboardEvent): boolean {
  return key === 'PageUp' || (key === ' ' && shiftKey);
}

/** Matches elements that handle the Space key themselves. */
const usesSpace = 'button, input, summary, [role="button"], [role="tab"], [role="option"]';

/** Returns whether a key scrolls the question: not if the focused element uses it, or if the question is at its end. */
function canScrollQuestion(event: KeyboardEvent): boolean {
  const area = questionArea();
  if (area === null || !(event.target instanceof Element)) return false;
  // An element inside the question already scrolls the question or itself.
  if (area.contains(event.target)) return false;
  if (event.key === ' ' && event.target.closest(usesSpace) !== null) return false;
  const { scrollTop, scrollHeight, clientHeight } = area;
  return isUp(event) ? scrollTop > 0 : scrollTop + clientHeight < scrollHeight - 1;
}

function scrollQuestion(event: KeyboardEvent): void {
  const area = questionArea();
  // The last lines stay in view, as when a browser scrolls by a page.
  const page = (area?.clientHeight ?? 0) * 0.875;
  area?.scrollBy({ top: isUp(event) ? -page : page });
}

/** Renders the search, the filters, the order and the grouping of the list. */
function InboxFilters({
  view,
  rows,
  onChange,
}: {
  readonly view: InboxView;
  readonly rows: readonly CheckpointListRow[];
  readonly onChange: (view: InboxView) => void;
}): ReactNode {
  const workflows = useMemo(
    () => [...new Map(rows.map(({ session }) => [session.workflowId, workflowName(session)] as const))],
    [rows],
  );
  const filter = filterProps<keyof InboxView>(view, onChange);
  return (
    <div className="inbox-filters" role="search">
      <SearchInput
        label={filterTexts.search}
        hidesLabel
        placeholder={filterTexts.searchHint}
        {...filter('text')}
      />
      <details className="inbox-more">
        <summary>{filterTexts.more(workflows.find(([id]) => id === view.workflow)?.[1])}</summary>
        <div className="inbox-selects">
          <FilterSelect
            label={filterTexts.order}
            none={filterTexts.oldest}
            options={orders.map((one) => [one, filterTexts.orders[one]])}
            {...filter('order')}
          />
          <FilterSelect
            label={filterTexts.group}
            none={filterTexts.noGroup}
            options={groupings.map((one) => [one, filterTexts.groups[one]])}
            {...filter('group')}
          />
          <FilterSelect
            label={filterTexts.workflow}
            none={filterTexts.anyWorkflow}
            options={workflows}
            {...filter('workflow')}
          />
          <FilterSelect
            label={filterTexts.needs}
            none={filterTexts.anyAnswer}
            options={[['person', filterTexts.person]]}
            {...filter('needs')}
          />
        </div>
      </details>
    </div>
  );
}
