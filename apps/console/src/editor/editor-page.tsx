import '../styles/editor.css';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { catalogueQuery, definitionTextQuery } from '../api/queries.ts';
import { FilterSelect } from '../components/inputs.tsx';
import { Loaded } from '../components/loading.tsx';
import { EmptyState } from '../components/notice.tsx';
import type { CatalogueSource } from '../contract.ts';
import { editorMessages } from '../messages/workflows.ts';
import { Page } from '../shell/page.tsx';
import { DefinitionEditor } from './definition-editor.tsx';
import type { Draft } from './draft.ts';
import { newDraft } from './draft.ts';

const messages = editorMessages;

const route = getRouteApi('/edit');

/** Renders the editor for the file in the URL, or for a new file if the URL has none. */
export function EditorPage(): ReactNode {
  const { source, file } = route.useSearch();
  if (source === undefined || file === undefined) return <NewPage />;
  return <FilePage key={`${source} ${file}`} source={source} file={file} />;
}

function FilePage({ source, file }: { readonly source: string; readonly file: string }): ReactNode {
  const query = useQuery(definitionTextQuery(source, file));
  return (
    <Page title={file} lead={messages.page.inSource(source)}>
      <Loaded query={query}>{(found) => <DefinitionEditor key={found.digest} draft={found} />}</Loaded>
    </Page>
  );
}

function NewPage(): ReactNode {
  const query = useQuery(catalogueQuery);
  return (
    <Page title={messages.page.newTitle} lead={messages.page.newLead}>
      <Loaded query={query}>{({ sources }) => <NewFileForm sources={sources} />}</Loaded>
    </Page>
  );
}

/** TOON is only supported in the folders of activity workflows. */
const fileName = /^[a-z0-9][a-z0-9.-]*\.(ya?ml|json)$/;

/** Asks for the source and the name of a new file, then opens the editor. */
function NewFileForm({ sources }: { readonly sources: readonly CatalogueSource[] }): ReactNode {
  const id = useId();
  const writable = sources.filter(({ isWritable }) => isWritable);
  const [source, setSource] = useState(writable[0]?.name);
  const [file, setFile] = useState('');
  const [draft, setDraft] = useState<Draft>();
  if (draft !== undefined) return <DefinitionEditor draft={draft} />;
  if (source === undefined)
    return (
      <EmptyState title={messages.newFile.noSource}>
        <p>{messages.newFile.noSourceNext}</p>
      </EmptyState>
    );
  const isNamed = fileName.test(file);
  return (
    <form
      className="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        setDraft(newDraft(source, file));
      }}
    >
      <FilterSelect
        label={messages.newFile.source}
        none={writable[0]?.name ?? source}
        options={writable.slice(1).map(({ name }) => [name, name] as const)}
        value={source === writable[0]?.name ? '' : source}
        onChange={(chosen) => setSource(chosen ?? writable[0]?.name)}
      />
      <div className="field">
        <label htmlFor={id}>{messages.newFile.name}</label>
        <input
          id={id}
          className="input mono"
          autoComplete="off"
          spellCheck={false}
          placeholder={messages.newFile.nameHint}
          aria-describedby={`${id}-rule`}
          value={file}
          onChange={({ target }) => setFile(target.value)}
        />
        <span id={`${id}-rule`} className="small muted">
          {messages.newFile.nameRule}
        </span>
      </div>
      <div>
        <button className="button button-main" disabled={!isNamed}>
          {messages.newFile.start}
        </button>
      </div>
    </form>
  );
}
