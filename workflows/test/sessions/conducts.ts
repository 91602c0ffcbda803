import type { ActivityVisit, ActivityWalks } from '../activity-walk.ts';
import type { Output } from '../output.ts';
import { renderings } from '../output.ts';
import type { Sample, Walk } from '../walk.ts';
import type { Conduct } from './obedient-agent.ts';

/** An activity of a walk, and what happens in it. */
type Visited = readonly [activity: string, visit: ActivityVisit];

/** The path of a walk with every visit spelled out. */
export function visitsOf(path: ActivityWalks['walks'][number]['path']): readonly Visited[] {
  return path.map((entry) => (typeof entry === 'string' ? ([entry, {}] as const) : entry));
}

/** Plays the visits of a walk, one after the other. */
export function actor(visits: readonly Visited[], outputs: ActivityWalks['outputs']): Conduct {
  let left = 0;
  return {
    ...certain,
    output: (step) => textOf(outputs[step.split('::').at(-1) ?? ''] ?? 'Done as described.'),
    choose: ({ checkpoint }) => visits[left]?.[1].answers?.[checkpoint] ?? '',
    learn() {
      const [, visit] = visits[left] ?? [];
      left += 1;
      return visit?.sets ?? {};
    },
  };
}

/** Learns in each step what a walk says. */
export function follower({ steps }: Walk, samples: Readonly<Record<string, Sample>>): Conduct {
  const sets = new Map(steps.map((step) => (typeof step === 'string' ? [step, {}] : step)));
  return {
    ...certain,
    output(step) {
      const good = samples[step.split('::').at(-1) ?? '']?.good ?? 'Done as described.';
      return textOf(Array.isArray(good) ? (good[0] as Output) : (good as Output));
    },
    choose: () => 'confirm',
    learn: (step) => sets.get(step) as ReturnType<Conduct['learn']>,
  };
}

/** Who knows what the work taught leaves nothing to guess. */
const certain: Pick<Conduct, 'settle' | 'clear'> = {
  settle: () => ({}),
  clear: () => ({}),
};

function textOf(output: Output): string {
  return renderings(output)[0] ?? '';
}
