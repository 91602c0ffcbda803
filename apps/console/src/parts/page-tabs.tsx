import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

/** A part of a page. */
export interface PageTab {
  readonly id: string;
  readonly label: ReactNode;
  readonly content: () => ReactNode;
}

/** Parts of a page of which one is shown; which one is for the address to keep. */
export function PageTabs({
  label,
  tabs,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly tabs: readonly PageTab[];
  /** The first where it is none of them. */
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
