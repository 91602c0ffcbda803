import type { JsonObject, Workflow } from '@workflowlookup/schema';
import type { ActivityVisit, ActivityWalks } from '../activity-workflows/walks/walk.ts';
import { sampleOf, stepsWithFields, withoutFields } from '../support/field-samples.ts';
import type { Sample, Walk } from '../step-workflows/walks/walk.ts';
import type { Conduct } from './obedient-agent.ts';

/** A visited activity of a walk, with its answers and variables. */
type Visited = readonly [activity: string, visit: ActivityVisit];

/** Returns the path of a walk with a visit for every activity. */
export function visitsOf(path: ActivityWalks['walks'][number]['path']): readonly Visited[] {
  return path.map((entry) => (typeof entry === 'string' ? ([entry, {}] as const) : entry));
}

/** Returns the conduct of an agent that follows a walk through an activity workflow. */
export function actor(visits: readonly Visited[], workflow: Workflow): Conduct {
  const steps = stepsWithFields(workflow);
  let left = 0;
  return {
    ...certain,
    output(step) {
      const name = step.split('::').at(-1) ?? '';
      const asked = steps.get(name);
      if (asked === undefined) return 'Done as described.';
      // The variables of this visit were requested first, so its number is already counted.
      return JSON.stringify(sampleOf(asked, visits[left - 1]?.[1].sets));
    },
    choose: ({ checkpoint }) => visits[left]?.[1].answers?.[checkpoint] ?? '',
    learn() {
      const [, visit] = visits[left] ?? [];
      left += 1;
      return withoutFields(visit?.sets ?? {}, steps.values());
    },
  };
}

/** Returns the conduct of an agent that follows a walk through a step workflow. */
export function follower(
  { steps }: Walk,
  samples: Readonly<Record<string, Sample>> | undefined,
  workflow: Workflow,
): Conduct {
  const asked = stepsWithFields(workflow);
  const sets = new Map(steps.map((step) => (typeof step === 'string' ? [step, {}] : step)));
  return {
    ...certain,
    output(step) {
      const name = step.split('::').at(-1) ?? '';
      const fields = asked.get(name);
      if (fields === undefined) return 'Done as described.';
      return JSON.stringify(sampleOf(fields, sets.get(step) as JsonObject, samples?.[name]?.good));
    },
    choose: () => 'confirm',
    learn: (step) => withoutFields((sets.get(step) ?? {}) as JsonObject, asked.values()),
  };
}

/** A walk sets every variable, so its agent never has to guess a value. */
const certain: Pick<Conduct, 'settle' | 'clear'> = {
  settle: () => ({}),
  clear: () => ({}),
};
