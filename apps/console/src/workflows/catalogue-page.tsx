import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FilePlus2, Scale } from 'lucide-react';
import type { ReactNode } from 'react';
import { catalogueQuery } from '../api/queries.ts';
import { readText } from '../api/read-text.ts';
import type { Catalogue } from '../contract.ts';
import { Empty } from '../parts/empty.tsx';
import { FilterSelect } from '../parts/filter-select.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { SearchInput } from '../parts/search-input.tsx';
import { useMe } from '../shell/me-context.ts';
import { Page } from '../shell/page.tsx';
import { CatalogueCard } from './catalogue-card.tsx';
import type { CatalogueSearch } from './catalogue-search.ts';
import { findWorkflows } from './find-workflows.ts';
import { ProblemsList } from './problems-list.tsx';
import { UntrustedList } from './untrusted-list.tsx';

const route = getRouteApi('/workflows');

/** Every workflow that can be started, and the files that keep others from it. */
export function CataloguePage(): ReactNode {
  const query = useQuery(catalogueQuery);
  return (
    <Page title="Workflows" lead="What agents can start here." actions={<CatalogueActions />}>
      <Loaded query={query}>{(catalogue) => <CatalogueParts catalogue={catalogue} />}</Loaded>
    </Page>
  );
}

function CatalogueActions(): ReactNode {
  const { may } = useMe();
  return (
    <>
      <Link className="button" to="/judge">
        <Scale size={16} aria-hidden />
        Try criteria
      </Link>
      {may.save && (
        <Link className="button" to="/edit">
          <FilePlus2 size={16} aria-hidden />
          New workflow
        </Link>
      )}
    </>
  );
}

function CatalogueParts({ catalogue }: { readonly catalogue: Catalogue }): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: Partial<Record<keyof CatalogueSearch, string | undefined>>): void => {
    void navigate({ search: readText({ ...search, ...next }), replace: true });
  };
  const found = findWorkflows(catalogue.workflows, search);
  return (
    <>
      <search className="filters filters-two">
        <SearchInput
          label="Search"
          placeholder="Name, id, description or tag"
          value={search.text ?? ''}
          onChange={(text) => change({ text })}
        />
        <FilterSelect
          label="Source"
          none="any source"
          options={catalogue.sources.map(({ name }) => [name, name] as const)}
          value={search.source}
          onChange={(source) => change({ source })}
        />
      </search>
      <UntrustedList />
      <ProblemsList problems={catalogue.problems} />
      {found.length === 0 ? (
        <Empty title="No workflow is like that." />
      ) : (
        <ul className="catalogue" aria-label="Workflows">
          {found.map((entry) => (
            <CatalogueCard key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
    </>
  );
}
