import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import '../look/editor.css';
import type { ReactNode } from 'react';
import { catalogueQuery, textQuery } from '../api/queries.ts';
import { Loaded } from '../parts/loaded.tsx';
import { Page } from '../shell/page.tsx';
import { EditorDesk } from './editor-desk.tsx';
import { NewFile } from './new-file.tsx';

const route = getRouteApi('/edit');

/** A file of a definition, read and written; without one in the address, a new one. */
export function EditorPage(): ReactNode {
  const { source, file } = route.useSearch();
  if (source === undefined || file === undefined) return <NewPage />;
  return <FilePage key={`${source} ${file}`} source={source} file={file} />;
}

function FilePage({ source, file }: { readonly source: string; readonly file: string }): ReactNode {
  const query = useQuery(textQuery(source, file));
  return (
    <Page title={file} lead={`In the source ${source}.`}>
      <Loaded query={query}>{(found) => <EditorDesk key={found.digest} draft={found} />}</Loaded>
    </Page>
  );
}

function NewPage(): ReactNode {
  const query = useQuery(catalogueQuery);
  return (
    <Page title="New workflow" lead="It is written to a source when you save it, and not before.">
      <Loaded query={query}>{({ sources }) => <NewFile sources={sources} />}</Loaded>
    </Page>
  );
}
