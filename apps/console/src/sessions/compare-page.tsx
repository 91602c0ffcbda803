import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { textParams } from '../api/client.ts';
import { sessionQuery, sessionsQuery } from '../api/queries.ts';
import { formatDuration } from '../components/format.ts';
import { FilterSelect } from '../components/inputs.tsx';
import { ScrollTable } from '../components/lists.tsx';
import { Loaded } from '../components/loading.tsx';
import { Notice } from '../components/notice.tsx';
import { toneOf } from '../components/tags.tsx';
import type { SessionDetail } from '../contract.ts';
import { answerText } from '../messages/checkpoints.ts';
import { commonMessages } from '../messages/common.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { Page } from '../shell/page.tsx';

const { compare: messages } = sessionMessages;

const route = getRouteApi('/compare');

/** Renders two sessions of one workflow side by side. */
export function ComparePage(): ReactNode {
  const { a } = route.useSearch();
  return (
    <Page title={messages.title} lead={messages.lead}>
      {a === undefined ? (
        <Notice title={messages.noSession}>{messages.noSessionNext}</Notice>
      ) : (
        <FirstSession sid={a} />
      )}
    </Page>
  );
}

function FirstSession({ sid }: { readonly sid: string }): ReactNode {
  const first = useQuery(sessionQuery(sid));
  return <Loaded query={first}>{(run) => <Comparison first={run} />}</Loaded>;
}

function Comparison({ first }: { readonly first: SessionDetail }): ReactNode {
  const { b } = route.useSearch();
  const navigate = route.useNavigate();
  const { sid, workflowId } = first.row;
  const others = useInfiniteQuery(sessionsQuery({ workflow: workflowId }));
  const rows = others.data?.pages.flatMap(({ runs }) => runs).filter((row) => row.sid !== sid) ?? [];
  return (
    <>
      <FilterSelect
        label={messages.with(sid)}
        none={messages.choose}
        options={rows.map(
          (row) =>
            [row.sid, messages.option(row.sid, sessionMessages.status[row.status], row.agent)] as const,
        )}
        value={b}
        onChange={(chosen) => void navigate({ search: textParams({ a: sid, b: chosen }), replace: true })}
      />
      {b !== undefined && <SecondSession first={first} sid={b} />}
    </>
  );
}

function SecondSession({ first, sid }: { readonly first: SessionDetail; readonly sid: string }): ReactNode {
  const second = useQuery(sessionQuery(sid));
  return (
    <Loaded query={second}>
      {(run) => (
        <>
          {run.row.workflowId !== first.row.workflowId && (
            <Notice tone="waits" title={messages.differentWorkflows} />
          )}
          <CompareTables first={first} second={run} />
        </>
      )}
    </Loaded>
  );
}

function CompareTables({
  first,
  second,
}: {
  readonly first: SessionDetail;
  readonly second: SessionDetail;
}): ReactNode {
  const tables = [
    [messages.tables.facts, factRows(first, second)],
    [messages.tables.plan, planRows(first, second)],
    [messages.tables.checkpoints, checkpointRows(first, second)],
    [messages.tables.variables, variableRows(first, second)],
  ] as const;
  return tables
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => (
      <section key={title} className="stack">
        <h2>{title}</h2>
        <CompareTable title={title} rows={rows} sids={[first.row.sid, second.row.sid]} />
      </section>
    ));
}

function CompareTable({
  title,
  rows,
  sids,
}: {
  readonly title: string;
  readonly rows: readonly CompareRow[];
  readonly sids: readonly [string, string];
}): ReactNode {
  return (
    <ScrollTable label={title} className="compare">
      <thead>
        <tr>
          <td />
          {sids.map((sid) => (
            <th key={sid} scope="col">
              <Link to="/runs/$sid" params={{ sid }}>
                <code>{sid}</code>
              </Link>
            </th>
          ))}
          <th scope="col">
            <span className="hidden-visually">{messages.differsColumn}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, first, second }) => (
          <tr key={name} className={first === second ? undefined : 'differs'}>
            <th scope="row">{name}</th>
            <td>{first}</td>
            <td>{second}</td>
            <td className="small">{first === second ? '' : messages.differs}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

interface CompareRow {
  readonly name: string;
  readonly first: string;
  readonly second: string;
}

function factRows(first: SessionDetail, second: SessionDetail): readonly CompareRow[] {
  const { facts } = messages;
  const rows: Readonly<Record<string, (run: SessionDetail) => string>> = {
    [facts.status]: ({ row }) => row.outcome ?? row.status,
    [facts.version]: ({ row }) => row.version,
    [facts.agent]: ({ row }) => row.agent,
    [facts.current]: ({ row }) => row.checkpoint ?? row.current ?? commonMessages.none,
    [facts.duration]: ({ row }) =>
      formatDuration((Date.parse(row.updatedAt) - Date.parse(row.createdAt)) / 1000),
    [facts.events]: ({ row }) => String(row.revision),
    [facts.refused]: ({ story }) => String(story.refusals.length),
    [facts.journal]: ({ story: { chain } }) => (chain.ok ? facts.intact : facts.damaged(chain.brokenAt)),
  };
  return Object.entries(rows).map(([name, fact]) => ({ name, first: fact(first), second: fact(second) }));
}

function planRows(first: SessionDetail, second: SessionDetail): readonly CompareRow[] {
  return pairRows(
    first.story.plan.map((one) => [one.name, stateText(one)] as const),
    second.story.plan.map((one) => [one.name, stateText(one)] as const),
  );
}

function variableRows(first: SessionDetail, second: SessionDetail): readonly CompareRow[] {
  const texts = ({ variables }: SessionDetail): readonly (readonly [string, string])[] =>
    Object.entries(variables).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return pairRows(texts(first), texts(second));
}

/** Returns the rows for the answers to each checkpoint, one for each time it was reached. */
function checkpointRows(first: SessionDetail, second: SessionDetail): readonly CompareRow[] {
  return pairRows(checkpointTexts(first), checkpointTexts(second));
}

function stateText({ standing, visits }: SessionDetail['story']['plan'][number]): string {
  return messages.visits(commonMessages.state[toneOf(standing)], visits);
}

function checkpointTexts({ story: { gates } }: SessionDetail): readonly (readonly [string, string])[] {
  const counts = new Map<string, number>();
  return gates.map(({ checkpoint, answered }) => {
    const count = (counts.get(checkpoint) ?? 0) + 1;
    counts.set(checkpoint, count);
    const name = messages.again(checkpoint, count);
    return [name, answered === undefined ? messages.notAnswered : answerText(answered.answer)] as const;
  });
}

function pairRows(
  first: readonly (readonly [string, string])[],
  second: readonly (readonly [string, string])[],
): readonly CompareRow[] {
  const [left, right] = [new Map(first), new Map(second)];
  return [...new Set([...left.keys(), ...right.keys()])].map((name) => ({
    name,
    first: left.get(name) ?? commonMessages.none,
    second: right.get(name) ?? commonMessages.none,
  }));
}
