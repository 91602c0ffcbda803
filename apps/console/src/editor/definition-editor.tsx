import { useMutation, useQuery, keepPreviousData } from '@tanstack/react-query';
import { getRouteApi, useBlocker, useNavigate } from '@tanstack/react-router';
import type { Issue } from '@workflowlookup/schema';
import { Save } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { RequestError, callApi } from '../api/client.ts';
import { catalogueQuery, definitionTextQuery, savedTextQuery } from '../api/queries.ts';
import { Button, FilterSelect, Form, TextField } from '../components/controls.tsx';
import type { PageTab } from '../components/lists.tsx';
import { PageTabs } from '../components/lists.tsx';
import { Loaded, EmptyState, Notice } from '../components/notice.tsx';
import { Tag } from '../components/tags.tsx';
import type {
  CatalogueSource,
  Check,
  CheckRequest,
  DefinitionText,
  PositionRequest,
  TextPosition,
} from '../contract/index.ts';
import type { EditTargetProps, PartEditing, PartPlace } from '../workflows/parts.tsx';
import { PartEditingContext, placesOf } from '../workflows/parts.tsx';
import { partOf } from '../graph/graph-targets.ts';
import { LazyGraph } from '../graph/lazy-graph.tsx';
import { editorMessages, workflowMessages } from '../messages/workflows.ts';
import { Page, useMe } from '../shell/page.tsx';
import { Keys, showShortcuts, useShortcuts } from '../shell/shortcuts.tsx';
import '../styles/editor.css';
import { WalkTab } from '../workflows/dry-run.tsx';
import { FileList, IssueList } from '../workflows/files.tsx';
import { WorkflowOutline } from '../workflows/outline.tsx';
import type { TextChange } from './add-question.ts';
import { questionAfter, questionBefore } from './add-question.ts';
import type { Draft } from './draft.tsx';
import { hasConflictMarks, newDraft, MergeNotice, SaveDialog } from './draft.tsx';
import type { TextEditorProps } from './text-editor.tsx';
import { TextEditor } from './text-editor.tsx';
import { VersionsButton } from './versions-dialog.tsx';

const route = getRouteApi('/edit');

/** Renders the editor for the file in the URL, or for a new file if the URL has none. */
export function EditorPage(): ReactNode {
  const { source, file, at } = route.useSearch();
  if (source === undefined || file === undefined) return <NewPage />;
  return <FilePage key={`${source} ${file}`} source={source} file={file} at={at} />;
}

function FilePage({
  source,
  file,
  at,
}: {
  readonly source: string;
  readonly file: string;
  readonly at: string | undefined;
}): ReactNode {
  const query = useQuery(definitionTextQuery(source, file));
  return (
    <Page title={file} lead={messages.page.inSource(source)}>
      <Loaded query={query}>
        {(found) => <DefinitionEditor key={found.digest} draft={found} at={at} />}
      </Loaded>
    </Page>
  );
}

function NewPage(): ReactNode {
  const query = useQuery(catalogueQuery);
  const [draft, setDraft] = useState<Draft>();
  return (
    <Page title={draft?.file ?? messages.page.newTitle} lead={messages.page.newLead}>
      <Loaded query={query}>
        {({ sources }) =>
          draft === undefined ? (
            <NewFileForm sources={sources} onStart={setDraft} />
          ) : (
            <DefinitionEditor draft={draft} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** TOON is only supported in the folders of activity workflows. */
const fileName = /^[a-z0-9][a-z0-9.-]*\.(ya?ml|json)$/;

/** Asks for the source and the name of a new file. */
function NewFileForm({
  sources,
  onStart,
}: {
  readonly sources: readonly CatalogueSource[];
  readonly onStart: (draft: Draft) => void;
}): ReactNode {
  const writable = sources.filter(({ isWritable }) => isWritable);
  const [source, setSource] = useState(writable[0]?.name);
  const [file, setFile] = useState('');
  if (source === undefined)
    return <EmptyState title={messages.newFile.noSource}>{messages.newFile.noSourceNext}</EmptyState>;
  const isNamed = fileName.test(file);
  return (
    <Form className="card stack" onSubmit={() => onStart(newDraft(source, file))}>
      <FilterSelect
        label={messages.newFile.source}
        none={writable[0]?.name ?? source}
        options={writable.slice(1).map(({ name }) => [name, name] as const)}
        value={source === writable[0]?.name ? '' : source}
        onChange={(chosen) => setSource(chosen ?? writable[0]?.name)}
      />
      <TextField
        label={messages.newFile.name}
        isMono
        placeholder={messages.newFile.nameHint}
        hint={messages.newFile.nameRule}
        value={file}
        onChange={setFile}
      />
      <div>
        <Button type="submit" look="main" disabled={!isNamed}>
          {messages.newFile.start}
        </Button>
      </div>
    </Form>
  );
}

const messages = editorMessages;

/** Renders a text editor with live checks and the actions to save the text. */
function DefinitionEditor({
  draft: opened,
  at,
}: {
  readonly draft: Draft;
  /** JSON pointer of the part to open the text at. */
  readonly at?: string | undefined;
}): ReactNode {
  const [draft, setDraft] = useState(opened);
  /** The text that the editor starts with; a merge or an earlier version starts it again. */
  const [start, setStart] = useState({ text: opened.text, number: 0 });
  const navigate = useNavigate();
  const { may } = useMe();
  const [text, setText] = useState(draft.text);
  const [isSaving, setIsSaving] = useState(false);
  const [target, setTarget] = useState<TextEditorProps['target']>();
  const [change, setChange] = useState<TextChange>();
  const locate = useLocate(draft, text, setTarget);
  const openAt = useEffectEvent(() => at !== undefined && locate(at));
  useEffect(() => void openAt(), []);
  const { check, current } = useCheck({ source: draft.source, file: draft.file, text });
  const isReadOnly = !draft.isWritable || !may.save;
  const isChanged = !isReadOnly && (text !== draft.text || draft.digest === null);
  const isSaved = useUnsavedWarning(isChanged);
  const merge = (merged: string, base: Pick<Draft, 'text' | 'digest'>): void => {
    setDraft({ ...draft, ...base });
    setText(merged);
    setChange(undefined);
    setStart({ text: merged, number: start.number + 1 });
  };
  return (
    <>
      {!isSaving && draft.digest !== null && (
        <ChangedNotice draft={{ ...draft, digest: draft.digest }} text={text} onMerge={merge} />
      )}
      <div className="row editor-bar">
        <div className="row" role="status">
          {isReadOnly && <Tag tone="skipped">{messages.state.readOnly}</Tag>}
          {current !== undefined && <CheckTag check={current} />}
          {!isReadOnly && (
            <>
              <Button
                look="main"
                icon={Save}
                disabled={!isChanged || current?.isUsable !== true}
                onClick={() => setIsSaving(true)}
              >
                {messages.review}
              </Button>
              {draft.digest !== null && (
                <VersionsButton draft={draft} text={text} onPutBack={(earlier) => merge(earlier, draft)} />
              )}
            </>
          )}
        </div>
        {!isReadOnly && (draft.notation === 'json' || draft.notation === 'yaml') && (
          <KeysHint notation={draft.notation} />
        )}
      </div>
      <div className="columns editor-layout">
        <TextEditor
          key={start.number}
          text={start.text}
          file={draft}
          isReadOnly={isReadOnly}
          issues={check?.problems ?? noIssues}
          target={target}
          change={change}
          onChange={setText}
        />
        <CheckResults
          check={check}
          draft={draft}
          text={text}
          onSelect={setTarget}
          onLocate={locate}
          onChange={isReadOnly ? undefined : setChange}
        />
      </div>
      {isSaving && (
        <SaveDialog
          draft={draft}
          text={text}
          onClose={() => setIsSaving(false)}
          onMerged={(merged, base) => {
            merge(merged, base);
            setIsSaving(false);
          }}
          onSaved={(id) => {
            isSaved.current = true;
            const { source, file } = draft;
            void navigate({ to: '/workflows/$id', params: { id }, state: { saved: { source, file } } });
          }}
        />
      )}
    </>
  );
}

/** Says that the file was changed elsewhere while it is in the editor, and takes that change over. */
function ChangedNotice({
  draft,
  text,
  onMerge,
}: {
  readonly draft: DefinitionText;
  readonly text: string;
  readonly onMerge: (text: string, base: Pick<Draft, 'text' | 'digest'>) => void;
}): ReactNode {
  const { data: there, error } = useQuery(savedTextQuery(draft));
  const { changed } = messages;
  if (error instanceof RequestError && error.code === 'NOT_FOUND')
    return <Notice tone="waits" title={changed.removed} />;
  if (there.digest === draft.digest) return null;
  const isChanged = text !== draft.text;
  return (
    <MergeNotice
      title={changed.title}
      next={isChanged ? changed.both : changed.onlyTheirs}
      label={isChanged ? undefined : changed.show}
      before={draft.text}
      mine={text}
      theirs={there}
      onMerged={onMerge}
    />
  );
}

const noIssues: TextEditorProps['issues'] = [];

/** Returns a function that finds a JSON pointer in the text. A text in Markdown has none. */
function useLocate(
  { notation }: Pick<Draft, 'notation'>,
  text: string,
  onFound: (position: TextPosition) => void,
): (pointer: string) => void {
  const { mutate } = useMutation({
    mutationFn: (body: PositionRequest) => callApi('POST /position', { body }),
    onSuccess: onFound,
  });
  return (pointer) => {
    if (notation !== 'markdown') mutate({ text, notation, pointer });
  };
}

const { keys } = messages;

/** The keys that the text handles itself. */
const textKeys = [
  { keys: 'Ctrl+Space', label: keys.suggest },
  { keys: 'mod+f', label: keys.find },
  { keys: 'mod+]', label: keys.indent },
  { keys: 'mod+[', label: keys.outdent },
  { keys: 'F8', label: keys.nextProblem },
  { keys: 'Tab', label: keys.leave },
];

/** JSON has no comments. */
const yamlKeys = [...textKeys, { keys: 'mod+/', label: keys.comment }];

/** Names the key that completes the text, and leads to all keys. */
function KeysHint({ notation }: Pick<Draft, 'notation'>): ReactNode {
  useShortcuts(keys.title, notation === 'yaml' ? yamlKeys : textKeys);
  return (
    <div className="row small muted shortcut-hint">
      <Keys keys="Ctrl+Space" />
      <span>{keys.hint}</span>
      <Button look="quiet" size="small" onClick={showShortcuts}>
        {keys.all}
      </Button>
    </div>
  );
}

/** Says whether a text would be served. */
function CheckTag({ check: { isUsable, problems } }: { readonly check: Check }): ReactNode {
  if (!isUsable) return <Tag tone="refused">{messages.state.invalid}</Tag>;
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  if (hasErrors) return <Tag tone="waits">{messages.state.usableWithErrors}</Tag>;
  return <Tag tone="done">{messages.state.valid}</Tag>;
}

/** Renders the problems of a text, and the workflow it defines if it can be read. */
function CheckResults({
  check,
  draft,
  text,
  onSelect,
  onLocate,
  onChange,
}: {
  readonly check: CheckedText | undefined;
  readonly draft: Draft;
  readonly text: string;
  readonly onSelect: (issue: Issue) => void;
  /** Moves the cursor to a JSON pointer in the text. */
  readonly onLocate: (pointer: string) => void;
  /** Changes the text, unless it is read only. */
  readonly onChange: ((change: TextChange) => void) | undefined;
}): ReactNode {
  const [chosen, setChosen] = useState<string>();
  const good = useLastGood(check);
  const { source, file } = draft;
  const navigate = useNavigate();
  const places = useMemo(() => good && placesOf(good, file), [good, file]);
  const open = (place: PartPlace | undefined): void => {
    if (place?.file === file) onLocate(place.pointer);
    else if (place !== undefined)
      void navigate({ to: '/edit', search: { source, file: place.file, at: place.pointer } });
  };
  const render = ({ place, ...props }: EditTargetProps): ReactNode => (
    <button type="button" onClick={() => open(place)} {...props} />
  );
  if (check === undefined) return <p className="muted">{messages.checks.running}</p>;
  const { problems } = check;
  const isOld = good?.isOld === true;
  const onAsk: PartEditing['onAsk'] = (part, where) => {
    const add = where === 'before' ? questionBefore : questionAfter;
    const change = add({ ...draft, text }, part, good?.outline ?? {});
    // For example, the step is an alias of YAML, which has no text of its own.
    if (change === undefined) onLocate(part.pointer);
    else onChange?.(change);
  };
  const canAsk = onChange !== undefined && !isOld && (draft.notation === 'yaml' || draft.notation === 'json');
  const tabs: PageTab[] = [
    {
      id: 'problems',
      label: messages.checks.problems(problems.length),
      content: (
        <>
          {hasConflictMarks(text) && (
            <Notice tone="waits" title={messages.checks.unmerged}>
              {messages.checks.unmergedNext}
            </Notice>
          )}
          {problems.length === 0 ? (
            <EmptyState title={messages.checks.noProblems} />
          ) : (
            // A copy makes the editor scroll again when the user picks the same issue twice.
            <IssueList issues={problems} onSelect={(issue) => onSelect({ ...issue })} />
          )}
        </>
      ),
    },
  ];
  /** Adds a tab about the last version without errors. */
  const addTab = (id: string, label: string, shown: ReactNode): void => {
    const content = (
      <>
        {isOld && <Notice tone="waits" title={messages.checks.lastGood} />}
        {shown}
      </>
    );
    tabs.push({ id, label, content });
  };
  if (good !== undefined) {
    const { outline, graph } = good;
    addTab(
      'picture',
      messages.checks.graph,
      <LazyGraph
        graph={graph}
        label={messages.checks.graph}
        onChoose={(target) => open(places?.get(partOf(target)))}
      />,
    );
    addTab(
      'steps',
      messages.checks.steps,
      <PartEditingContext value={places && { places, render, ...(canAsk && { onAsk, file }) }}>
        <WorkflowOutline outline={outline} />
      </PartEditingContext>,
    );
    addTab(
      'try',
      messages.checks.simulate,
      <WalkTab outline={outline} graph={graph} draft={{ source, file, text: good.text }} />,
    );
  }
  if (draft.files.length > 1)
    tabs.push({
      id: 'files',
      label: workflowMessages.page.files(draft.files.length),
      content: <FileList files={draft.files} source={source} current={file} />,
    });
  return <PageTabs label={messages.checks.label} tabs={tabs} chosen={chosen} onChoose={setChosen} />;
}

/** A version of the text that would be served. */
interface GoodVersion extends Required<Pick<Check, 'outline' | 'graph' | 'activityFiles'>> {
  readonly text: string;
  /** Whether the text has changed since and has errors now. */
  readonly isOld: boolean;
}

/** Returns the last version without errors, so that the graph and the steps stay while the text has one. */
function useLastGood(check: CheckedText | undefined): GoodVersion | undefined {
  const [known, setKnown] = useState<GoodVersion & { readonly check: CheckedText }>();
  if (check?.outline === undefined || check.graph === undefined) return known && { ...known, isOld: true };
  const { outline, graph, activityFiles = [], text } = check;
  if (known?.check === check) return known;
  const version = { outline, graph, activityFiles, text, isOld: false, check };
  setKnown(version);
  return version;
}

const pauseMs = 300;

/** The result of a check, and the text that was checked. The user may have typed more since. */
interface CheckedText extends Check {
  readonly text: string;
}

/** Checks a text on the server when the user stops typing. `current` is absent while the server checks the text. */
function useCheck({ source, file, text }: CheckRequest) {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const query = useQuery({
    queryKey: ['check', source, file, settled],
    queryFn: async ({ signal }): Promise<CheckedText> => {
      const check = await callApi('POST /check', { body: { source, file, text: settled }, signal });
      return { ...check, text: settled };
    },
    placeholderData: keepPreviousData,
    enabled: file !== '',
    gcTime: 0,
  });
  const isCurrent = settled === text && !query.isPlaceholderData && query.isSuccess;
  return { check: query.data, current: isCurrent ? query.data : undefined };
}

/** Asks the user before they leave a page with unsaved text. Set `isSaved` to leave without asking. */
function useUnsavedWarning(isUnsaved: boolean): RefObject<boolean> {
  const isSaved = useRef(false);
  useBlocker({
    // Closing the window shows a dialog of the browser, so the page uses one too.
    shouldBlockFn: () => isUnsaved && !isSaved.current && !globalThis.confirm(messages.leave),
    enableBeforeUnload: () => isUnsaved && !isSaved.current,
  });
  return isSaved;
}
