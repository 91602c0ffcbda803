import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { GitCompareArrows } from 'lucide-react';
import type { ReactNode } from 'react';
import { runQuery } from '../api/queries.ts';
import type { Run } from '../contract.ts';
import { Loaded } from '../parts/loaded.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { RunTag } from '../parts/run-tag.tsx';
import { runTitle } from '../parts/run-title.ts';
import { TrustTags } from '../parts/trust-tags.tsx';
import { Page } from '../shell/page.tsx';
import { ExportButton } from './export-button.tsx';
import { RunFacts } from './run-facts.tsx';
import { RunGate } from './run-gate.tsx';
import { tabsOf } from './run-tabs.tsx';

const route = getRouteApi('/runs/$sid');

/** Everything there is to know of one run. */
export function RunPage(): ReactNode {
  const { sid } = route.useParams();
  const query = useQuery(runQuery(sid));
  const run = query.data;
  return (
    <Page
      title={run === undefined ? 'Run' : runTitle(run.row)}
      lead={
        <span className="row">
          {run !== undefined && <RunTag run={run.row} />}
          {run !== undefined && <TrustTags run={run.row} />}
          <code>{sid}</code>
        </span>
      }
      actions={run !== undefined && <RunActions run={run} />}
    >
      <Loaded query={query}>{(found) => <RunParts key={sid} run={found} />}</Loaded>
    </Page>
  );
}

function RunActions({ run: { row, story } }: { readonly run: Run }): ReactNode {
  return (
    <>
      <Link className="button" to="/compare" search={{ a: row.sid }}>
        <GitCompareArrows size={16} aria-hidden />
        Compare
      </Link>
      {story.chain.ok && <ExportButton sid={row.sid} />}
    </>
  );
}

function RunParts({ run }: { readonly run: Run }): ReactNode {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <RunGate run={run} />
      <RunFacts run={run} />
      <PageTabs
        label="Parts of the run"
        tabs={tabsOf(run)}
        chosen={tab}
        onChoose={(id) => void navigate({ search: { tab: id }, replace: true })}
      />
    </>
  );
}
