import { isDeepStrictEqual } from 'node:util';
import type { Issue, Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import { byCodeUnits, sortProblems, sortSummaries } from '../workflow-store.ts';
import type { DefinitionProblem, UntrustedDefinition } from '../workflow-store.ts';
import { untrustedEntry } from './read-definition.ts';
import { idOfFile } from './paths.ts';
import type { Entry } from './read-definition.ts';
import { fileMessages } from '../messages.ts';

/** Changes that become visible together. */
interface Update {
  /** Real paths of the files that no longer exist. */
  readonly removed: Iterable<string>;
  readonly read: Iterable<Entry>;
  /** Problems that do not come from a file that was read. If absent, the earlier ones stay. */
  readonly problems?: readonly DefinitionProblem[];
  /** Untrusted definitions that do not come from a file that was read. If absent, the earlier ones stay. */
  readonly untrusted?: readonly UntrustedDefinition[];
}

/** The definitions of one directory, by path and by id. */
export interface Catalogue {
  entry(path: string): Entry | undefined;
  paths(): Iterable<string>;
  served(id: string): (Entry & { readonly workflow: Workflow }) | undefined;
  list(): readonly WorkflowSummary[];
  problems(): readonly DefinitionProblem[];
  /** Returns the definitions that are not served because nobody trusted them. */
  untrusted(): readonly UntrustedDefinition[];
  /** Applies changes and returns the ids whose workflow or problem may have changed. */
  apply(update: Update): readonly string[];
}

/**
 * Makes an empty catalogue. The cost of a change depends on the change alone. Lists are computed on demand and cached.
 */
export function createCatalogue(): Catalogue {
  const entries = createEntries();
  let otherProblems: readonly DefinitionProblem[] = [];
  let otherUntrusted: readonly UntrustedDefinition[] = [];
  let list: readonly WorkflowSummary[] | undefined;
  let problems: readonly DefinitionProblem[] | undefined;

  return {
    entry: (path) => entries.byPath.get(path),
    paths: () => entries.byPath.keys(),
    served: entries.served,
    list() {
      const ids = [...entries.claims.keys()];
      list ??= sortSummaries(
        ids.map(entries.served).flatMap((entry) => (entry ? [summarize(entry.workflow)] : [])),
      );
      return list;
    },
    problems() {
      problems ??= sortProblems([...otherProblems, ...listProblems(entries.byPath.values(), entries.claims)]);
      return problems;
    },
    untrusted: () => [
      ...otherUntrusted,
      ...Array.from(entries.byPath.values()).flatMap(({ file, admitted }) =>
        admitted?.isAdmitted === false ? [untrustedEntry(file, admitted)] : [],
      ),
    ],
    apply(update) {
      const touched = entries.apply(update);
      const { untrusted = otherUntrusted, problems: found = otherProblems } = update;
      for (const { id, file } of changedItems(otherUntrusted, untrusted)) touched.add(id ?? idOfFile(file));
      for (const { id } of changedItems(otherProblems, found)) touched.add(id);
      [otherUntrusted, otherProblems] = [untrusted, found];
      if (touched.size > 0) list = problems = undefined;
      return [...touched];
    },
  };
}

function createEntries() {
  const byPath = new Map<string, Entry>();
  /** The entries that use an id, whether or not it can be served. */
  const claims = new Map<string, Set<Entry>>();

  function remove(path: string): Entry | undefined {
    const entry = byPath.get(path);
    byPath.delete(path);
    if (entry?.id === undefined) return entry;
    const rivals = claims.get(entry.id);
    rivals?.delete(entry);
    if (rivals?.size === 0) claims.delete(entry.id);
    return entry;
  }

  function put(entry: Entry): void {
    byPath.set(entry.path, entry);
    if (entry.id === undefined) return;
    const rivals = claims.get(entry.id);
    if (rivals === undefined) claims.set(entry.id, new Set([entry]));
    else rivals.add(entry);
  }

  return {
    byPath,
    claims,
    served(id: string): ReturnType<Catalogue['served']> {
      const [first, second] = claims.get(id) ?? [];
      return second === undefined && hasWorkflow(first) ? first : undefined;
    },
    apply({ removed, read }: Update): Set<string> {
      const touched = new Set<string>();
      const gone = [...removed].map(remove).filter((entry) => entry !== undefined);
      for (const entry of gone) addIds(entry, touched);
      const moved = new Map(gone.map((entry) => [entry.id, entry]));
      for (const next of read) {
        const known = remove(next.path);
        const entry = reuseWorkflow(known ?? moved.get(next.id), next);
        put(entry);
        if (known !== undefined && isSameReport(known, entry)) continue;
        if (known !== undefined) addIds(known, touched);
        addIds(entry, touched);
      }
      return touched;
    },
  };
}

function hasWorkflow(entry: Entry | undefined): entry is Entry & { readonly workflow: Workflow } {
  return entry?.workflow !== undefined;
}

function addIds({ id, file, admitted, problem, partProblems = [] }: Entry, touched: Set<string>): void {
  if (id !== undefined) touched.add(id);
  if (admitted !== undefined) touched.add(admitted.id ?? idOfFile(file));
  if (problem !== undefined) touched.add(problem.id);
  for (const part of partProblems) touched.add(part.id);
}

/** Keeps the same workflow object while the content is the same, so that caches attached to it stay valid. */
function reuseWorkflow(known: Entry | undefined, next: Entry): Entry {
  const workflow = known?.workflow;
  return workflow !== undefined && isSameWorkflow(workflow, next.workflow) ? { ...next, workflow } : next;
}

/** The digest of an activity workflow does not cover its texts and its broken parts, which are served too. */
function isSameWorkflow(a: Workflow, b: Workflow | undefined): boolean {
  return a.digest === b?.digest && (a.kind === 'steps' || isDeepStrictEqual(a, b));
}

function isSameReport(a: Entry, b: Entry): boolean {
  return (
    a.id === b.id &&
    a.file === b.file &&
    a.workflow === b.workflow &&
    JSON.stringify([a.problem, a.partProblems, a.admitted]) ===
      JSON.stringify([b.problem, b.partProblems, b.admitted])
  );
}

/** Returns the items that are in one of two lists only. */
function changedItems<Item>(before: readonly Item[], after: readonly Item[]): readonly Item[] {
  if (before === after) return [];
  const [known, kept] = [before, after].map((items) => new Set(items.map((item) => JSON.stringify(item))));
  const isLost = (item: Item): boolean => kept?.has(JSON.stringify(item)) !== true;
  const isNew = (item: Item): boolean => known?.has(JSON.stringify(item)) !== true;
  return [...before.filter(isLost), ...after.filter(isNew)];
}

/** Yields the problems found while reading, and one for every id that several files use. */
function* listProblems(
  entries: Iterable<Entry>,
  claims: ReadonlyMap<string, ReadonlySet<Entry>>,
): Generator<DefinitionProblem> {
  const contested = new Set<Entry>();
  for (const [id, rivals] of claims) {
    if (rivals.size < 2) continue;
    const files = [...rivals].map(({ file }) => file).toSorted(byCodeUnits);
    for (const entry of rivals) {
      contested.add(entry);
      yield duplicateIdProblem(id, entry, files);
    }
  }
  for (const entry of entries) {
    if (entry.problem !== undefined && !contested.has(entry)) yield entry.problem;
    yield* entry.partProblems ?? [];
  }
}

/** A message names at most this many other files. With a thousand copies, each would otherwise name all the others. */
const maxNamed = 5;

function duplicateIdProblem(
  id: string,
  { file, problem }: Entry,
  files: readonly string[],
): DefinitionProblem {
  const others = files.slice(0, maxNamed + 1).filter((other) => other !== file);
  const named = others.slice(0, maxNamed).map((other) => `'${other}'`);
  const unnamed = files.length - 1 - named.length;
  const issue: Issue = {
    severity: 'error',
    code: 'duplicate-id',
    pointer: '/id',
    ...fileMessages.duplicateId(id, named, unnamed),
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
