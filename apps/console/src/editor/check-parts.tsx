import type { Issue } from '@workflowlookup/schema';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Check } from '../contract.ts';
import { LateGraph } from '../graph/late-graph.tsx';
import { Empty } from '../parts/empty.tsx';
import type { PageTab } from '../parts/page-tabs.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { OutlinePart } from '../workflow/outline-part.tsx';
import { WalkPart } from '../workflow/walk-part.tsx';
import { IssueList } from '../workflows/issue-list.tsx';

/** What the server makes of a text: its findings, and the workflow it is where it is one. */
export function CheckParts({
  check,
  text,
  onGo,
}: {
  readonly check: Check | undefined;
  readonly text: string;
  readonly onGo: (issue: Issue) => void;
}): ReactNode {
  const [chosen, setChosen] = useState<string>();
  if (check === undefined) return <p className="muted">Being checked.</p>;
  const { problems, outline, graph } = check;
  const tabs: PageTab[] = [
    {
      id: 'problems',
      label: problems.length === 0 ? 'Problems' : `Problems ${problems.length}`,
      content: () =>
        problems.length === 0 ? (
          <Empty title="Nothing is wrong with it." />
        ) : (
          // A copy, so that the same finding can be gone to again.
          <IssueList issues={problems} onGo={(issue) => onGo({ ...issue })} />
        ),
    },
  ];
  if (outline !== undefined && graph !== undefined)
    tabs.push(
      { id: 'picture', label: 'Picture', content: () => <LateGraph graph={graph} label="Picture" /> },
      { id: 'steps', label: 'Steps', content: () => <OutlinePart outline={outline} /> },
    );
  if (outline?.kind === 'steps' && graph !== undefined)
    tabs.push({
      id: 'try',
      label: 'Try it',
      content: () => <WalkPart outline={outline} graph={graph} text={text} />,
    });
  return (
    <div className="desk-side">
      <PageTabs label="What it is" tabs={tabs} chosen={chosen} onChoose={setChosen} />
    </div>
  );
}
