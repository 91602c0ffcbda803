import { byCodeUnits } from './by-code-units.ts';
import type { DefinitionProblem } from './workflow-store.ts';

/** Problems in the order of a store: by id, then file; equal ones keep their order. The result can't be changed. */
export function sortProblems(problems: Iterable<DefinitionProblem>): readonly DefinitionProblem[] {
  return Object.freeze(
    [...problems].toSorted((a, b) => byCodeUnits(a.id, b.id) || byCodeUnits(a.file, b.file)),
  );
}
