import type { NextStep } from './next-step.ts';

/** What keeps a loop from going on, and what would do. */
export function describeStuck(next: Extract<NextStep, { kind: 'stuck' | 'exhausted' }>): string {
  if (next.kind === 'exhausted') {
    return `Loop '${next.loopId}' has more rounds without a step to do than one call looks through.`;
  }
  const { variable, needed, found } = next.bound;
  return `Loop '${next.loopId}' needs '${variable}' in the context to be ${needed}, and found ${found} there.`;
}
