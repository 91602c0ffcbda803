import type { Issue } from '@workflowlookup/schema';
import { byCodeUnits } from '../by-code-units.ts';
import type { DefinitionProblem } from '../workflow-store.ts';
import type { Entry } from './entry.ts';

/** The problems of files: what their readings say, and of every id that several files claim. */
export function* listProblems(
  entries: Iterable<Entry>,
  claims: ReadonlyMap<string, ReadonlySet<Entry>>,
): Generator<DefinitionProblem> {
  const contested = new Set<Entry>();
  for (const [id, rivals] of claims) {
    if (rivals.size < 2) continue;
    const files = [...rivals].map(({ file }) => file).toSorted(byCodeUnits);
    for (const entry of rivals) {
      contested.add(entry);
      yield contestedProblem(id, entry, files);
    }
  }
  for (const entry of entries) {
    if (entry.problem !== undefined && !contested.has(entry)) yield entry.problem;
    yield* entry.partProblems ?? [];
  }
}

/** At most this many other files are named: a thousand copies would otherwise give a million names. */
const maxNamed = 5;

function contestedProblem(id: string, { file, problem }: Entry, files: readonly string[]): DefinitionProblem {
  const others = files.slice(0, maxNamed + 1).filter((other) => other !== file);
  const named = others.slice(0, maxNamed).map((other) => `'${other}'`);
  const unnamed = files.length - 1 - named.length;
  const issue: Issue = {
    severity: 'error',
    code: 'duplicate-id',
    pointer: '/id',
    message: `The id '${id}' is also that of ${named.join(', ')}${unnamed > 0 ? ` and ${unnamed} more` : ''}`,
    suggestion: 'Give each workflow of a source an id of its own',
    line: 1,
    column: 1,
  };
  return {
    id,
    file,
    severity: 'error',
    code: 'INVALID_WORKFLOW',
    issues: [issue, ...(problem?.issues ?? [])],
  };
}
