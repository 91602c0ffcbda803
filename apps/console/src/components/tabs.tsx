import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface PageTab {
  readonly id: string;
  readonly label: ReactNode;
  readonly content: () => ReactNode;
}

/** Renders tabs. The caller keeps the chosen one, usually in the URL. */
export function PageTabs({
  label,
  tabs,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly tabs: readonly PageTab[];
  /** The first tab is shown if this is not the id of a tab. */
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}): ReactNode {
  const shown = tabs.find(({ id }) => id === chosen) ?? tabs[0];
  return (
    <Tabs.Root value={shown?.id} onValueChange={(value) => onChoose(String(value))} className="stack">
      <Tabs.List className="tabs" aria-label={label} activateOnFocus={false}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.id} value={tab.id} className="tab">
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.id} value={tab.id} className="panel stack">
          {tab.content()}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
