import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { workflowQuery } from '../api/queries.ts';
import type { WorkflowDetail } from '../contract.ts';
import { LateGraph } from '../graph/late-graph.tsx';
import { Loaded } from '../parts/loaded.tsx';
import type { PageTab } from '../parts/page-tabs.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Page } from '../shell/page.tsx';
import { ProblemsList } from '../workflows/problems-list.tsx';
import { FilesPart } from './files-part.tsx';
import { OutlinePart } from './outline-part.tsx';
import { WalkPart } from './walk-part.tsx';

const route = getRouteApi('/workflows/$id');

/** One workflow: its picture, its steps, its files, and a place to try it. */
export function WorkflowPage(): ReactNode {
  const { id } = route.useParams();
  const query = useQuery(workflowQuery(id));
  const outline = query.data?.outline;
  return (
    <Page
      title={outline?.name ?? 'Workflow'}
      lead={
        <>
          <code>{id}</code> {outline?.version}
        </>
      }
      actions={
        <Link className="button" to="/runs" search={{ workflow: id }}>
          See its runs
        </Link>
      }
    >
      <Loaded query={query}>{(detail) => <WorkflowParts key={id} detail={detail} />}</Loaded>
    </Page>
  );
}

function WorkflowParts({ detail }: { readonly detail: WorkflowDetail }): ReactNode {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <p>{detail.outline.description}</p>
      <ProblemsList problems={detail.problems} />
      <PageTabs
        label="Parts of the workflow"
        tabs={tabsOf(detail)}
        chosen={tab}
        onChoose={(chosen) => void navigate({ search: { tab: chosen }, replace: true })}
      />
    </>
  );
}

function tabsOf(detail: WorkflowDetail): readonly PageTab[] {
  const { outline, graph } = detail;
  return [
    {
      id: 'picture',
      label: 'Picture',
      content: () => <LateGraph graph={graph} label={`Picture of ${outline.name}; its steps say the same`} />,
    },
    { id: 'steps', label: 'Steps', content: () => <OutlinePart outline={outline} /> },
    { id: 'try', label: 'Try it', content: () => <WalkPart outline={outline} graph={graph} /> },
    { id: 'files', label: `Files ${detail.files.length}`, content: () => <FilesPart detail={detail} /> },
  ];
}
