import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { FilePlus2, ListChecks, Scale } from 'lucide-react';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { catalogueQuery, checksQuery, untrustedQuery } from '../api/queries.ts';
import { Button, filterProps, FilterSelect, SearchInput } from '../components/controls.tsx';
import { Loaded, EmptyState, Notice } from '../components/notice.tsx';
import { Tag } from '../components/tags.tsx';
import type { Catalogue, CatalogueEntry } from '../contract/index.ts';
import { sourceName, workflowMessages } from '../messages/workflows.ts';
import { Page, useMe } from '../shell/page.tsx';
import { ProblemsList } from './files.tsx';

const { catalogue: messages } = workflowMessages;

const route = getRouteApi('/workflows');

/** Renders every workflow that agents can start, and the problems in definitions. */
export function CataloguePage(): ReactNode {
  const query = useQuery(catalogueQuery);
  return (
    <Page title={messages.title} lead={messages.lead} actions={<CatalogueActions />}>
      <Loaded query={query}>{(catalogue) => <CatalogueContent catalogue={catalogue} />}</Loaded>
    </Page>
  );
}

function CatalogueActions(): ReactNode {
  const { may } = useMe();
  return (
    <>
      <Link className="button" to="/judge">
        <Scale size={16} aria-hidden />
        {messages.tryCriteria}
      </Link>
      <Link className="button" to="/checks">
        <ListChecks size={16} aria-hidden />
        {messages.checks}
      </Link>
      {may.save && (
        <Link className="button" to="/edit">
          <FilePlus2 size={16} aria-hidden />
          {messages.create}
        </Link>
      )}
    </>
  );
}

function CatalogueContent({ catalogue }: { readonly catalogue: Catalogue }): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = filterProps(search, (next) => void navigate({ search: next, replace: true }));
  const found = findWorkflows(catalogue.workflows, search);
  return (
    <>
      <search className="filters filters-two">
        <SearchInput label={messages.search} placeholder={messages.searchHint} {...filter('text')} />
        <FilterSelect
          label={messages.source}
          none={messages.anySource}
          options={catalogue.sources.map(({ name }) => [name, sourceName(name)] as const)}
          {...filter('source')}
        />
      </search>
      <UntrustedList />
      <WaitingChecks />
      <ProblemsList problems={catalogue.problems} />
      {found.length === 0 ? (
        <EmptyState title={messages.noMatch}>{messages.noMatchNext}</EmptyState>
      ) : (
        <ul className="catalogue" aria-label={messages.list}>
          {found.map((entry) => (
            <CatalogueCard key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
    </>
  );
}

function CatalogueCard({ entry }: { readonly entry: CatalogueEntry }): ReactNode {
  const { id, name, description, version, kind, source, overrides, tags } = entry;
  return (
    <li className="card catalogue-card">
      <h2>
        <Link className="title-link" to="/workflows/$id" params={{ id }}>
          {name}
        </Link>
      </h2>
      <p className="small muted">
        <code>{id}</code> {version}
      </p>
      <p className="catalogue-text clamped">{description}</p>
      <p className="small muted">
        {messages.from(messages.kinds[kind], source)}
        {overrides.length > 0 && messages.overrides(overrides.join(', '))}
        {tags.length > 0 && messages.tags(tags.join(', '))}
      </p>
    </li>
  );
}

/** Returns the workflows that contain every word of the search text. */
function findWorkflows(
  workflows: readonly CatalogueEntry[],
  { text = '', source }: { readonly text?: string; readonly source?: string },
): readonly CatalogueEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return workflows.filter((entry) => {
    const { id, name, description, category, tags } = entry;
    const all = [id, name, description, category, ...tags].join(' ').toLowerCase();
    return (source === undefined || entry.source === source) && words.every((word) => all.includes(word));
  });
}

const { trust: untrustedTexts, checks: checksTexts } = workflowMessages;

/** Says that the checks of projects wait for a person, if there are any. */
function WaitingChecks(): ReactNode {
  const { data } = useQuery(checksQuery);
  const waiting = (data?.projects ?? []).filter(({ state }) => state === 'untrusted' || state === 'changed');
  if (waiting.length === 0) return null;
  return (
    <Notice tone="waits" title={checksTexts.summary(waiting.length)}>
      <p>
        <Link to="/checks">{checksTexts.reviewThem}</Link>
      </p>
    </Notice>
  );
}

/** Loaded on first use, because the editor in it is large and seldom needed. */
const TrustDialog = lazy(async () => ({ default: (await import('./trust-dialogs.tsx')).TrustDialog }));

/** Renders the project's definitions that are not served to agents until a person trusts them. */
function UntrustedList(): ReactNode {
  const { data } = useQuery(untrustedQuery);
  const [file, setFile] = useState<{ readonly source: string; readonly file: string }>();
  if (data === undefined || data.definitions.length === 0) return null;

  return (
    <details className="card" open>
      <summary>{untrustedTexts.summary(data.definitions.length)}</summary>
      {!data.mayTrust && <p className="muted small">{untrustedTexts.requires}</p>}
      {data.mayTrust && (
        <ul className="stack" aria-label={untrustedTexts.list}>
          {data.definitions.map((entry) => (
            <li key={`${entry.source} ${entry.file ?? entry.id ?? ''}`} className="row">
              <Tag tone="waits">{untrustedTexts.reasons[entry.reason]}</Tag>
              <code>{entry.file ?? entry.id ?? untrustedTexts.noId}</code>
              <span className="small muted">{untrustedTexts.in(entry.source)}</span>
              {entry.file !== undefined && (
                <Button onClick={() => setFile({ source: entry.source, file: entry.file ?? '' })}>
                  {untrustedTexts.review}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {file !== undefined && (
        <Suspense>
          <TrustDialog location={file} onClose={() => setFile(undefined)} />
        </Suspense>
      )}
    </details>
  );
}
