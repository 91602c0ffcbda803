import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { runQuery, runsQuery } from '../api/queries.ts';
import { readText } from '../api/read-text.ts';
import type { Run } from '../contract.ts';
import { FilterSelect } from '../parts/filter-select.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Notice } from '../parts/notice.tsx';
import { Page } from '../shell/page.tsx';
import { CompareTables } from './compare-tables.tsx';

const route = getRouteApi('/compare');

/** Two runs of one workflow, beside each other. */
export function ComparePage(): ReactNode {
  const { a } = route.useSearch();
  return (
    <Page title="Compare" lead="Two runs of one workflow: what differs is marked.">
      {a === undefined ? (
        <Notice title="Begin at a run: its page has a button that leads here." />
      ) : (
        <CompareWith sid={a} />
      )}
    </Page>
  );
}

function CompareWith({ sid }: { readonly sid: string }): ReactNode {
  const first = useQuery(runQuery(sid));
  return <Loaded query={first}>{(run) => <CompareTwo first={run} />}</Loaded>;
}

function CompareTwo({ first }: { readonly first: Run }): ReactNode {
  const { b } = route.useSearch();
  const navigate = route.useNavigate();
  const { sid, workflowId } = first.row;
  const others = useInfiniteQuery(runsQuery({ workflow: workflowId }));
  const rows = others.data?.pages.flatMap(({ runs }) => runs).filter((row) => row.sid !== sid) ?? [];
  return (
    <>
      <FilterSelect
        label={`Compare ${sid} with`}
        none="choose a run"
        options={rows.map((row) => [row.sid, `${row.sid}, ${row.status}, ${row.agent}`] as const)}
        value={b}
        onChange={(chosen) => void navigate({ search: readText({ a: sid, b: chosen }), replace: true })}
      />
      {b !== undefined && <Second first={first} sid={b} />}
    </>
  );
}

function Second({ first, sid }: { readonly first: Run; readonly sid: string }): ReactNode {
  const second = useQuery(runQuery(sid));
  return (
    <Loaded query={second}>
      {(run) => (
        <>
          {run.row.workflowId !== first.row.workflowId && (
            <Notice tone="waits" title="These are runs of two workflows." />
          )}
          <CompareTables first={first} second={run} />
        </>
      )}
    </Loaded>
  );
}
