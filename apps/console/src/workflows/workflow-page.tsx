import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { workflowQuery } from '../api/queries.ts';
import { Loaded } from '../components/loading.tsx';
import type { PageTab } from '../components/tabs.tsx';
import { PageTabs } from '../components/tabs.tsx';
import type { WorkflowDetail } from '../contract.ts';
import type { GraphTarget } from '../graph/layout.ts';
import { LazyGraph } from '../graph/lazy-graph.tsx';
import { workflowMessages } from '../messages/workflows.ts';
import { Page } from '../shell/page.tsx';
import { WorkflowOutline } from './outline.tsx';
import { DuplicateButton } from './duplicate-dialog.tsx';
import { ProblemsList } from './problems.tsx';
import { WalkTab } from './dry-run.tsx';

const { page: messages } = workflowMessages;

const route = getRouteApi('/workflows/$id');

/** Renders one workflow: its graph, its steps, its files and a simulation. */
export function WorkflowPage(): ReactNode {
  const { id } = route.useParams();
  const query = useQuery(workflowQuery(id));
  const outline = query.data?.outline;
  return (
    <Page
      title={outline?.name ?? messages.title}
      lead={
        <>
          <code>{id}</code> {outline?.version}
        </>
      }
      actions={
        <>
          {query.data !== undefined && <DuplicateButton key={id} detail={query.data} />}
          <Link className="button" to="/insights" search={{ workflow: id }}>
            {messages.seeInsights}
          </Link>
          <Link className="button" to="/runs" search={{ workflow: id }}>
            {messages.seeSessions}
          </Link>
        </>
      }
    >
      <Loaded query={query}>{(detail) => <WorkflowContent key={id} detail={detail} />}</Loaded>
    </Page>
  );
}

function WorkflowContent({ detail }: { readonly detail: WorkflowDetail }): ReactNode {
  const { tab, at } = route.useSearch();
  const navigate = route.useNavigate();
  const seeStep = ({ id }: GraphTarget): void => void navigate({ search: { tab: 'steps', at: id } });
  return (
    <>
      <p>{detail.outline.description}</p>
      <ProblemsList problems={detail.problems} />
      <PageTabs
        label={messages.tabs}
        tabs={tabsOf(detail, at, seeStep)}
        chosen={tab}
        onChoose={(chosen) => void navigate({ search: { tab: chosen }, replace: true })}
      />
    </>
  );
}

function tabsOf(
  detail: WorkflowDetail,
  at: string | undefined,
  onChoose: (target: GraphTarget) => void,
): readonly PageTab[] {
  const { outline, graph } = detail;
  return [
    {
      id: 'picture',
      label: messages.graph,
      content: () => (
        <LazyGraph graph={graph} label={messages.graphLabel(outline.name)} onChoose={onChoose} />
      ),
    },
    { id: 'steps', label: messages.steps, content: () => <WorkflowOutline outline={outline} at={at} /> },
    { id: 'try', label: messages.simulate, content: () => <WalkTab outline={outline} graph={graph} /> },
    { id: 'files', label: messages.files(detail.files.length), content: () => <FilesTab detail={detail} /> },
  ];
}

function FilesTab({ detail: { files, source, isWritable } }: { readonly detail: WorkflowDetail }): ReactNode {
  return (
    <>
      <p className="muted">{isWritable ? messages.writable(source) : messages.readOnly(source)}</p>
      <ul className="card plan-list" aria-label={messages.filesList}>
        {files.map(({ file, notation }) => (
          <li key={file}>
            <Link to="/edit" search={{ source, file }}>
              <code>{file}</code>
            </Link>
            <span className="muted">{notation}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
