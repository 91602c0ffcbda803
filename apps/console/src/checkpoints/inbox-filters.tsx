import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { FilterSelect, SearchInput } from '../components/inputs.tsx';
import { workflowName } from '../components/tags.tsx';
import type { CheckpointListRow } from '../contract.ts';
import { checkpointMessages } from '../messages/checkpoints.ts';
import type { InboxView } from './inbox-order.ts';
import { groupings, orders } from './inbox-order.ts';

const { filters: messages } = checkpointMessages;

/** Renders the search, the filters, the order and the grouping of the list. */
export function InboxFilters({
  view,
  rows,
  onChange,
}: {
  readonly view: InboxView;
  readonly rows: readonly CheckpointListRow[];
  readonly onChange: (view: InboxView) => void;
}): ReactNode {
  const workflows = useMemo(
    () => [...new Map(rows.map(({ run }) => [run.workflowId, workflowName(run)] as const))],
    [rows],
  );
  const change = (part: { readonly [Key in keyof InboxView]?: string | undefined }): void => {
    const entries = Object.entries({ ...view, ...part }).filter(
      ([, value]) => value !== undefined && value !== '',
    );
    onChange(Object.fromEntries(entries));
  };
  return (
    <div className="inbox-filters" role="search">
      <SearchInput
        label={messages.search}
        placeholder={messages.searchHint}
        value={view.text ?? ''}
        onChange={(text) => change({ text })}
      />
      <details className="inbox-more">
        <summary>{messages.more(workflows.find(([id]) => id === view.workflow)?.[1])}</summary>
        <div className="inbox-selects">
          <FilterSelect
            label={messages.order}
            none={messages.oldest}
            options={orders.map((one) => [one, messages.orders[one]])}
            value={view.order}
            onChange={(order) => change({ order })}
          />
          <FilterSelect
            label={messages.group}
            none={messages.noGroup}
            options={groupings.map((one) => [one, messages.groups[one]])}
            value={view.group}
            onChange={(group) => change({ group })}
          />
          <FilterSelect
            label={messages.workflow}
            none={messages.anyWorkflow}
            options={workflows}
            value={view.workflow}
            onChange={(workflow) => change({ workflow })}
          />
          <FilterSelect
            label={messages.needs}
            none={messages.anybody}
            options={[['person', messages.person]]}
            value={view.needs}
            onChange={(needs) => change({ needs })}
          />
        </div>
      </details>
    </div>
  );
}
