import { Dialog } from '@base-ui/react/dialog';
import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { HistoryState } from '@tanstack/react-router';
import { Link, getRouteApi, useLocation, useNavigate } from '@tanstack/react-router';
import { Copy, Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMemo, useState } from 'react';
import { callApi } from '../api/client.ts';
import type { TextBefore } from '../api/queries.ts';
import { catalogueQuery, saveText, textBeforeQuery, workflowQuery } from '../api/queries.ts';
import { Button, FilterSelect, Form, TextField } from '../components/controls.tsx';
import { DialogFrame } from '../components/dialog.tsx';
import type { PageTab } from '../components/lists.tsx';
import { PageTabs } from '../components/lists.tsx';
import { Loaded, Notice, ErrorNotice } from '../components/notice.tsx';
import type { WorkflowDetail } from '../contract/index.ts';
import type { GraphTarget } from '../graph/graph-targets.ts';
import { partOf } from '../graph/graph-targets.ts';
import { WorkflowGraph } from '../graph/workflow-graph.tsx';
import { workflowMessages } from '../messages/workflows.ts';
import { Page, useMe } from '../shell/page.tsx';
import { WalkTab } from './dry-run.tsx';
import { FileList, ProblemsList } from './files.tsx';
import { WorkflowOutline } from './outline.tsx';
import type { EditTargetProps } from './parts.tsx';
import { PartEditingContext, placesOf } from './parts.tsx';

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
          {query.data !== undefined && <EditLink detail={query.data} />}
          {query.data !== undefined && <DuplicateButton key={id} detail={query.data} />}
          <Link className="button" to="/insights" search={{ workflow: id }}>
            {messages.seeInsights}
          </Link>
          <Link className="button" to="/sessions" search={{ workflow: id }}>
            {messages.seeSessions}
          </Link>
        </>
      }
    >
      <Loaded query={query}>{(detail) => <WorkflowContent key={id} detail={detail} />}</Loaded>
    </Page>
  );
}

/** Keeps the scroll position and the notice about a saved file when the view changes within the page. */
const sameView = { resetScroll: false, state: true } as const;

function WorkflowContent({ detail }: { readonly detail: WorkflowDetail }): ReactNode {
  const { tab, at } = route.useSearch();
  const navigate = route.useNavigate();
  const saved = useLocation({ select: ({ state }) => state.saved });
  // The part scrolls into view by itself.
  const seePart = (target: GraphTarget): void =>
    void navigate({ search: { tab: 'steps', at: partOf(target) }, ...sameView });
  const mayEdit = useMayEdit(detail);
  const editing = useMemo(() => {
    const [main] = detail.files;
    if (!mayEdit || main === undefined) return undefined;
    const render = ({ place: { file, pointer }, ...props }: EditTargetProps): ReactNode => (
      <Link to="/edit" search={{ source: detail.source, file, at: pointer }} {...props} />
    );
    return { places: placesOf(detail, main.file), render };
  }, [detail, mayEdit]);
  return (
    <>
      {saved !== undefined && <SavedNotice saved={saved} />}
      <p>{detail.outline.description}</p>
      <ProblemsList problems={detail.problems} />
      <PartEditingContext value={editing}>
        <PageTabs
          label={messages.tabs}
          tabs={tabsOf(detail, at, seePart)}
          chosen={tab}
          onChoose={(chosen) => void navigate({ search: { tab: chosen }, replace: true, ...sameView })}
        />
      </PartEditingContext>
    </>
  );
}

/** Says that a file was saved, and offers to save it as it was before. */
function SavedNotice({ saved }: { readonly saved: NonNullable<HistoryState['saved']> }): ReactNode {
  const { source, file, isUndone = false } = saved;
  const client = useQueryClient();
  const navigate = useNavigate();
  const { queryKey } = textBeforeQuery(source, file);
  const [before] = useState(() => client.getQueryData(queryKey));
  const undo = useMutation({
    mutationFn: ({ text, digest }: TextBefore) => saveText(client, { source, file, text, digest }),
    onSuccess: ({ workflowId: id }) => {
      client.removeQueries({ queryKey });
      void navigate({
        to: '/workflows/$id',
        params: { id },
        state: { saved: { source, file, isUndone: true } },
        replace: true,
      });
    },
  });
  return (
    <>
      <Notice tone="done" title={(isUndone ? messages.undone : messages.saved)(file)}>
        <p>{messages.savedEffect}</p>
        <div className="row">
          <Link className="button button-small" to="/edit" search={{ source, file }}>
            {messages.savedNext}
          </Link>
          {!isUndone && before !== undefined && (
            <Button size="small" disabled={undo.isPending} onClick={() => undo.mutate(before)}>
              {messages.undo}
            </Button>
          )}
        </div>
      </Notice>
      <ErrorNotice title={messages.notUndone(file)} error={undo.error} />
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
      content: <WorkflowGraph graph={graph} label={messages.graphLabel(outline.name)} onChoose={onChoose} />,
    },
    { id: 'steps', label: messages.steps, content: <WorkflowOutline outline={outline} at={at} /> },
    { id: 'try', label: messages.simulate, content: <WalkTab outline={outline} graph={graph} /> },
    { id: 'files', label: messages.files(detail.files.length), content: <FilesTab detail={detail} /> },
  ];
}

function FilesTab({ detail: { files, source, isWritable } }: { readonly detail: WorkflowDetail }): ReactNode {
  return (
    <>
      <p className="muted">{isWritable ? messages.writable(source) : messages.readOnly(source)}</p>
      <FileList files={files} source={source} />
    </>
  );
}

/** Returns whether the user can save the files of a workflow. */
function useMayEdit({ isWritable }: Pick<WorkflowDetail, 'isWritable'>): boolean {
  const { may } = useMe();
  return may.save && isWritable;
}

/**
 * Opens the part that the page shows in the editor, or else the first file of the workflow. Renders nothing if the user
 * can't save it.
 */
function EditLink({ detail }: { readonly detail: WorkflowDetail }): ReactNode {
  const { at } = route.useSearch();
  const { files, source } = detail;
  const main = files[0]?.file;
  if (!useMayEdit(detail) || main === undefined) return null;
  const place = at === undefined ? undefined : placesOf(detail, main).get(at);
  const { file } = place ?? { file: main };
  return (
    <Link className="button" to="/edit" search={{ source, file, ...(place && { at: place.pointer }) }}>
      <Pencil size={16} aria-hidden />
      {files.length === 1 ? messages.edit : messages.editFile(file.slice(file.lastIndexOf('/') + 1))}
    </Link>
  );
}

/** Copies all files of a workflow to a source that can be saved to. Renders nothing if there is no such source. */
function DuplicateButton({ detail }: { readonly detail: WorkflowDetail }): ReactNode {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { may } = useMe();
  const catalogue = useQuery(catalogueQuery);
  const writable = catalogue.data?.sources.filter(({ isWritable }) => isWritable) ?? [];
  const [isOpen, setIsOpen] = useState(false);
  const [copyId, setCopyId] = useState(`${detail.outline.id}-copy`);
  const [copyName, setCopyName] = useState(messages.duplicateProposal(detail.outline.name));
  const [chosen, setChosen] = useState<string>();
  const file = detail.files[0]?.file;
  const to = chosen ?? writable[0]?.name;
  const duplicate = useMutation({
    mutationFn: () =>
      callApi('POST /duplicate', {
        body: { source: detail.source, file: file ?? '', to: to ?? '', id: copyId, name: copyName },
      }),
    onSuccess: async ({ source, file: made }) => {
      await client.invalidateQueries({ queryKey: ['workflows'] });
      void navigate({ to: '/edit', search: { source, file: made } });
    },
  });
  if (!may.save || to === undefined || file === undefined) return null;
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger className="button">
        <Copy size={16} aria-hidden />
        {messages.duplicate}
      </Dialog.Trigger>
      <DialogFrame
        title={messages.duplicateTitle(detail.outline.name)}
        explanation={messages.duplicateLead}
        isNarrow
      >
        <Form className="stack" onSubmit={() => duplicate.mutate()}>
          <TextField label={messages.duplicateName} maxLength={200} value={copyName} onChange={setCopyName} />
          <TextField
            label={messages.duplicateId}
            isMono
            hint={messages.duplicateRule}
            value={copyId}
            onChange={setCopyId}
          />
          {writable.length > 1 && (
            <FilterSelect
              label={messages.duplicateTo}
              none={writable[0]?.name ?? ''}
              options={writable.slice(1).map(({ name }) => [name, name] as const)}
              value={chosen}
              onChange={setChosen}
            />
          )}
          <ErrorNotice title={messages.duplicateFailed} error={duplicate.error} />
          <div className="row">
            <Button
              type="submit"
              look="main"
              disabled={duplicate.isPending || copyId.trim() === '' || copyName.trim() === ''}
            >
              {messages.duplicateSubmit}
            </Button>
            <Dialog.Close className="button">{messages.duplicateCancel}</Dialog.Close>
          </div>
        </Form>
      </DialogFrame>
    </Dialog.Root>
  );
}
