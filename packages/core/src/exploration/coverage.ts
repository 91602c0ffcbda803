import type { BranchOutcome, Coverage } from './exploration.ts';
import type { Record } from './record.ts';
import type { Terrain } from './terrain.ts';

/** What a record has gone through, out of all a workflow has. Loops count by their steps. */
export function coverageOf({ sites, branches }: Terrain, record: Record): Coverage {
  const steps = sites.filter(({ kind }) => kind !== 'loop');
  const outcomes = branches.flatMap(({ kind, text, file, pointer }) =>
    (kind === 'option' ? [true] : [true, false]).map((holds): BranchOutcome => ({
      text,
      holds,
      pointer,
      ...(file === undefined ? {} : { file }),
    })),
  );
  return {
    sites: {
      total: steps.length,
      missed: steps.filter(({ id }) => !record.reached.has(id)).map(({ label }) => label),
    },
    branches: {
      total: outcomes.length,
      missed: outcomes.filter((outcome) => !record.turnsAt(outcome).has(outcome.holds)),
    },
  };
}
