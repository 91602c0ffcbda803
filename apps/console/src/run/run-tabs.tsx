import type { Run } from '../contract.ts';
import type { PageTab } from '../parts/page-tabs.tsx';
import { ChildrenPart } from './children-part.tsx';
import { GatesPart } from './gates-part.tsx';
import { OutputsPart } from './outputs-part.tsx';
import { PlanPart } from './plan-part.tsx';
import { RefusalsPart } from './refusals-part.tsx';
import { TimelinePart } from './timeline-part.tsx';
import { VariablesPart } from './variables-part.tsx';

/** The parts of a run, each with how much there is of it. */
export function tabsOf(run: Run): readonly PageTab[] {
  const { story, outputs } = run;
  return [
    { id: 'plan', label: 'Plan', content: () => <PlanPart run={run} /> },
    { id: 'timeline', label: 'Timeline', content: () => <TimelinePart sid={run.row.sid} /> },
    {
      id: 'outputs',
      label: counted('Outputs', outputs.length),
      content: () => <OutputsPart outputs={outputs} />,
    },
    {
      id: 'variables',
      label: counted('Variables', Object.keys(run.variables).length),
      content: () => <VariablesPart run={run} />,
    },
    { id: 'gates', label: counted('Gates', story.gates.length), content: () => <GatesPart run={run} /> },
    {
      id: 'refusals',
      label: counted('Refusals', story.refusals.length),
      content: () => <RefusalsPart refusals={story.refusals} />,
    },
    {
      id: 'children',
      label: counted('Children', story.children.length),
      content: () => <ChildrenPart story={story} />,
    },
  ];
}

function counted(label: string, count: number): string {
  return count === 0 ? label : `${label} ${count}`;
}
