import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { useState } from 'react';
import { textParams } from '../api/client.ts';
import { foundSessionsQuery, sessionQuery } from '../api/queries.ts';
import { Button, SearchInput } from '../components/controls.tsx';
import { formatDuration } from '../components/format.ts';
import { ScrollTable } from '../components/lists.tsx';
import { Loaded, Notice } from '../components/notice.tsx';
import {
  OutcomeTag,
  SessionStatusTag,
  sessionTitle,
  workflowName,
  SessionLink,
  toneOf,
} from '../components/tags.tsx';
import { TimeSince } from '../components/time.tsx';
import type { SessionDetail, SessionListRow } from '../contract/index.ts';
import { answerText } from '../messages/checkpoints.ts';
import { commonMessages } from '../messages/common.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { Page } from '../shell/page.tsx';
import { sessionNames } from './session-names.ts';

const { compare: messages } = sessionMessages;

const route = getRouteApi('/compare');

/** Renders two sessions of one workflow side by side. */
export function ComparePage(): ReactNode {
  const { a, b } = route.useSearch();
  const navigate = route.useNavigate();
  const [first, second] = [useChosen(a), useChosen(b)];
  const choose = (search: { readonly a?: string | undefined; readonly b?: string | undefined }): void =>
    void navigate({ search: textParams({ a, b, ...search }), replace: true });
  const [workflow, otherWorkflow] = [first.data?.row, second.data?.row];
  return (
    <Page title={messages.title} lead={messages.lead}>
      <div className="two-columns compare-chosen">
        <Chosen
          label={messages.first}
          sid={a}
          query={first}
          workflow={a === undefined ? otherWorkflow : workflow}
          except={b}
          onChoose={(sid) => choose({ a: sid })}
        />
        <Chosen
          label={messages.second}
          sid={b}
          query={second}
          workflow={workflow}
          except={a}
          onChoose={(sid) => choose({ b: sid })}
        />
      </div>
      {first.data !== undefined && second.data !== undefined && (
        <>
          {second.data.row.workflowId !== first.data.row.workflowId && (
            <Notice tone="waits" title={messages.differentWorkflows} />
          )}
          {compareTables(first.data, second.data).map(({ title, rows }) => (
            <section key={title} className="stack">
              <h2>{title}</h2>
              <CompareTable title={title} rows={rows} sessions={[first.data.row, second.data.row]} />
            </section>
          ))}
        </>
      )}
    </Page>
  );
}

function useChosen(sid: string | undefined): UseQueryResult<SessionDetail> {
  return useQuery({ ...sessionQuery(sid ?? ''), enabled: sid !== undefined });
}

type Workflow = Pick<SessionListRow, 'workflowId' | 'title'>;

/** Renders a chosen session, or a search that chooses one by its title. */
function Chosen({
  label,
  sid,
  query,
  workflow,
  except,
  onChoose,
}: {
  readonly label: string;
  readonly sid: string | undefined;
  readonly query: UseQueryResult<SessionDetail>;
  /** The workflow of the other session: only its sessions are found. */
  readonly workflow: Workflow | undefined;
  readonly except: string | undefined;
  readonly onChoose: (sid: string | undefined) => void;
}): ReactNode {
  return (
    <section className="card stack-tight" aria-label={label}>
      <h2>{label}</h2>
      {sid === undefined ? (
        <SessionSearch label={label} workflow={workflow} except={except} onChoose={onChoose} />
      ) : (
        <Loaded query={query}>
          {({ row }) => (
            <>
              <SessionLink sid={sid}>{sessionTitle(row)}</SessionLink>
              <SessionNote row={row} />
            </>
          )}
        </Loaded>
      )}
      {sid !== undefined && (
        <div>
          <Button size="small" onClick={() => onChoose(undefined)}>
            {messages.other}
          </Button>
        </div>
      )}
    </section>
  );
}

const maxFound = 8;

function SessionSearch({
  label,
  workflow,
  except,
  onChoose,
}: Pick<ComponentProps<typeof Chosen>, 'label' | 'workflow' | 'except' | 'onChoose'>): ReactNode {
  const [search, setSearch] = useState('');
  const found = useQuery(foundSessionsQuery({ search, workflow: workflow?.workflowId }));
  const rows = found.data?.sessions.filter(({ sid }) => sid !== except).slice(0, maxFound) ?? [];
  return (
    <>
      <SearchInput
        label={messages.search}
        placeholder={messages.searchHint}
        value={search}
        onChange={setSearch}
      />
      {workflow !== undefined && (
        <p className="small muted">{messages.onlyWorkflow(workflowName(workflow))}</p>
      )}
      <ul className="plan-list" aria-label={`${messages.results}: ${label}`}>
        {rows.map((row) => (
          <li key={row.sid}>
            <button type="button" className="link-button" onClick={() => onChoose(row.sid)}>
              {sessionTitle(row)}
            </button>
            <SessionNote row={row} />
          </li>
        ))}
      </ul>
      {found.data !== undefined && rows.length === 0 && <p className="small">{messages.noMatch}</p>}
    </>
  );
}

/** What tells sessions with the same title apart. */
function SessionNote({ row }: { readonly row: SessionListRow }): ReactNode {
  return (
    <span className="row small muted">
      {row.ended === undefined ? <SessionStatusTag session={row} /> : <OutcomeTag ended={row.ended} />}
      {row.subject !== undefined && `${workflowName(row)} · `}
      {row.agent} · <TimeSince at={row.updatedAt} />
    </span>
  );
}

function CompareTable({
  title,
  rows,
  sessions,
}: {
  readonly title: string;
  readonly rows: readonly CompareRow[];
  readonly sessions: readonly [SessionListRow, SessionListRow];
}): ReactNode {
  return (
    <ScrollTable label={title} className="compare">
      <thead>
        <tr>
          <td />
          {sessions.map((row, at) => (
            <th key={row.sid} scope="col">
              {sessionTitle(row)}
              <span className="hidden-visually">{at === 0 ? messages.first : messages.second}</span>
            </th>
          ))}
          <th scope="col">
            <span className="hidden-visually">{messages.differsColumn}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, first, second, mark = first === second ? '' : messages.differs }) => (
          <tr key={name} className={mark === '' ? undefined : 'differs'}>
            <th scope="row">{name}</th>
            <td>{first}</td>
            <td>{second}</td>
            <td className="small">{mark}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

/** What a table of the comparison says about both sessions. */
interface CompareRow {
  readonly name: string;
  readonly first: string;
  readonly second: string;
  /** What the last column says; by default, whether the two differ. */
  readonly mark?: string;
}

type NamedText = readonly [name: string, text: string];

/** Returns the tables of a comparison, without those that are empty. */
export function compareTables(
  first: SessionDetail,
  second: SessionDetail,
): readonly { readonly title: string; readonly rows: readonly CompareRow[] }[] {
  const { tables } = messages;
  return [
    { title: tables.facts, rows: factRows(first, second) },
    { title: tables.plan, rows: pairRows(planTexts, first, second) },
    { title: tables.times, rows: timeRows(first, second) },
    { title: tables.checkpoints, rows: pairRows(checkpointTexts, first, second) },
    { title: tables.variables, rows: pairRows(variableTexts, first, second) },
  ].filter(({ rows }) => rows.length > 0);
}

function factRows(first: SessionDetail, second: SessionDetail): readonly CompareRow[] {
  const { facts } = messages;
  const rows: Readonly<Record<string, (session: SessionDetail) => string>> = {
    [facts.status]: ({ row }) => row.ended?.name ?? row.outcome ?? sessionMessages.status[row.status],
    [facts.version]: ({ row }) => row.version,
    [facts.agent]: ({ row }) => row.agent,
    [facts.current]: ({ row: { checkpoint, current }, outline }) => {
      const names = sessionNames(outline);
      if (checkpoint !== undefined) return names.checkpoint(checkpoint);
      return current === undefined ? commonMessages.none : names.activity(current);
    },
    [facts.duration]: (session) => formatDuration(secondsOf(session)),
    [facts.events]: ({ row }) => String(row.revision),
    [facts.refused]: ({ history }) => String(history.refusals.length),
    [facts.journal]: ({ history: { chain } }) => (chain.ok ? facts.intact : facts.damaged(chain.brokenAt)),
  };
  return Object.entries(rows).map(([name, fact]) => ({
    name,
    first: fact(first),
    second: fact(second),
    ...(name === facts.duration && { mark: longerText(secondsOf(first), secondsOf(second)) }),
  }));
}

function secondsOf({ row }: SessionDetail): number {
  return (Date.parse(row.updatedAt) - Date.parse(row.createdAt)) / 1000;
}

function planTexts({ history }: SessionDetail): readonly NamedText[] {
  return history.plan.map(({ name, status, visits }) => [
    name,
    messages.visits(commonMessages.state[toneOf(status)], visits),
  ]);
}

/** Returns the rows for the time that each activity took. Times always differ, so only one that is much longer is marked. */
function timeRows(first: SessionDetail, second: SessionDetail): readonly CompareRow[] {
  const others = new Map(second.history.plan.map((one) => [one.id, one]));
  const mine = new Set(first.history.plan.map(({ id }) => id));
  const more = second.history.plan.filter(({ id }) => !mine.has(id));
  return [...first.history.plan, ...more]
    .map((one) => ({ one: mine.has(one.id) ? one : undefined, other: others.get(one.id), name: one.name }))
    .filter(({ one, other }) => one?.seconds !== undefined || other?.seconds !== undefined)
    .map(({ one, other, name }) => ({
      name,
      first: timeText(one),
      second: timeText(other),
      mark: longerText(one?.seconds, other?.seconds),
    }));
}

type Planned = SessionDetail['history']['plan'][number];

function timeText({ seconds, waited = 0 }: Partial<Pick<Planned, 'seconds' | 'waited'>> = {}): string {
  if (seconds === undefined) return commonMessages.none;
  return waited === 0
    ? formatDuration(seconds)
    : messages.withWait(formatDuration(seconds), formatDuration(waited));
}

/** Says which session took at least twice as long, and a second more. */
function longerText(one: number | undefined, other: number | undefined): string {
  if (one === undefined || other === undefined) return '';
  const isMuch = Math.abs(one - other) >= 1 && Math.max(one, other) >= 2 * Math.min(one, other);
  if (!isMuch) return '';
  return one > other ? messages.longer.first : messages.longer.second;
}

function variableTexts({ variables }: SessionDetail): readonly NamedText[] {
  return Object.entries(variables).map(([name, value]) => [name, JSON.stringify(value)]);
}

/** Returns the answers to each checkpoint, one for each time it was reached. */
function checkpointTexts({ history: { checkpoints }, outline }: SessionDetail): readonly NamedText[] {
  const names = sessionNames(outline);
  const counts = new Map<string, number>();
  return checkpoints.map(({ checkpoint, answered }) => {
    const count = (counts.get(checkpoint) ?? 0) + 1;
    counts.set(checkpoint, count);
    const name = messages.again(names.checkpoint(checkpoint), count);
    const answer = answered && answerText(answered.answer, names.options(checkpoint));
    return [name, answer ?? messages.notAnswered] as const;
  });
}

function pairRows(
  textsOf: (session: SessionDetail) => readonly NamedText[],
  first: SessionDetail,
  second: SessionDetail,
): readonly CompareRow[] {
  const [left, right] = [new Map(textsOf(first)), new Map(textsOf(second))];
  return [...new Set([...left.keys(), ...right.keys()])].map((name) => ({
    name,
    first: left.get(name) ?? commonMessages.none,
    second: right.get(name) ?? commonMessages.none,
  }));
}
