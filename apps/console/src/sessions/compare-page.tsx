import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { useState } from 'react';
import { textParams } from '../api/client.ts';
import { foundSessionsQuery, sessionQuery } from '../api/queries.ts';
import { Button, SearchInput } from '../components/controls.tsx';
import { ScrollTable } from '../components/lists.tsx';
import { Loaded, Notice } from '../components/notice.tsx';
import {
  OutcomeTag,
  SessionStatusTag,
  sessionTitle,
  workflowName,
  SessionLink,
} from '../components/tags.tsx';
import { TimeSince } from '../components/time.tsx';
import type { SessionDetail, SessionListRow } from '../contract/index.ts';
import { sessionMessages } from '../messages/sessions.ts';
import { Page } from '../shell/page.tsx';
import type { CompareRow } from './compare-rows.ts';
import { compareTables } from './compare-rows.ts';

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
