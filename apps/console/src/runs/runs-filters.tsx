import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { catalogueQuery } from '../api/queries.ts';
import { readText } from '../api/read-text.ts';
import { FilterSelect } from '../parts/filter-select.tsx';
import { SearchInput } from '../parts/search-input.tsx';
import type { RunsSearch } from './runs-search.ts';
import { ages } from './runs-search.ts';

const route = getRouteApi('/runs');

const statuses = [
  ['active,blocked', 'live'],
  ['active', 'active'],
  ['blocked', 'waits at a gate'],
  ['completed', 'completed'],
] as const;

/** What narrows the list of runs. Each change is in the address at once. */
export function RunsFilters(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const catalogue = useQuery(catalogueQuery);
  const change = (next: Partial<Record<keyof RunsSearch, string | undefined>>): void => {
    void navigate({ search: readText({ ...search, ...next }), replace: true });
  };
  const workflows = catalogue.data?.workflows.map(({ id, name }) => [id, name] as const) ?? [];
  return (
    <search className="filters">
      <SearchInput
        label="Search"
        placeholder="Id, workflow, agent or folder"
        value={search.text ?? ''}
        onChange={(text) => change({ text })}
      />
      <FilterSelect
        label="Status"
        none="any status"
        options={statuses}
        value={search.status}
        onChange={(status) => change({ status })}
      />
      <FilterSelect
        label="Workflow"
        none="any workflow"
        options={workflows}
        value={search.workflow}
        onChange={(workflow) => change({ workflow })}
      />
      <SearchInput
        label="Agent"
        placeholder="Whole name"
        value={search.agent ?? ''}
        onChange={(agent) => change({ agent })}
      />
      <FilterSelect
        label="Changed in"
        none="any time"
        options={Object.entries(ages).map(([key, { label }]) => [key, label] as const)}
        value={search.age}
        onChange={(age) => change({ age })}
      />
      {Object.keys(search).length > 0 && (
        <button
          type="button"
          className="button button-quiet"
          onClick={() => void navigate({ search: {}, replace: true })}
        >
          <X size={16} aria-hidden />
          Clear
        </button>
      )}
    </search>
  );
}
