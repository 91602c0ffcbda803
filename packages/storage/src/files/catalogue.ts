import { isDeepStrictEqual } from 'node:util';
import type { Workflow, WorkflowSummary } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';
import { sortProblems } from '../sort-problems.ts';
import { sortSummaries } from '../sort-summaries.ts';
import type { DefinitionProblem, UntrustedDefinition } from '../workflow-store.ts';
import { untrusted } from './admission.ts';
import type { Entry } from './entry.ts';
import { idOfFile } from './names.ts';
import { listProblems } from './list-problems.ts';

/** Changes that become visible together. */
interface Update {
  /** Real paths of files that are gone. */
  readonly removed: Iterable<string>;
  readonly read: Iterable<Entry>;
  /** What is wrong beside the files that were read; left out, it stays as it was. */
  readonly problems?: readonly DefinitionProblem[];
  /** What is held back beside the files that were read; left out, it stays as it was. */
  readonly held?: readonly UntrustedDefinition[];
}

/** The definitions of one directory by path and by id. */
export interface Catalogue {
  entry(path: string): Entry | undefined;
  paths(): Iterable<string>;
  /** The file that serves an id. */
  served(id: string): (Entry & { readonly workflow: Workflow }) | undefined;
  list(): readonly WorkflowSummary[];
  problems(): readonly DefinitionProblem[];
  /** What is not served because nobody trusted it. */
  untrusted(): readonly UntrustedDefinition[];
  /** Takes changes in; returns the ids whose workflow or problem may have changed. */
  apply(update: Update): readonly string[];
}

/** Makes an empty catalogue. A change costs as much as what changed; lists are made when asked for, and then kept. */
export function createCatalogue(): Catalogue {
  const entries = createEntries();
  let beside: readonly DefinitionProblem[] = [];
  let held: readonly UntrustedDefinition[] = [];
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
      problems ??= sortProblems([...beside, ...listProblems(entries.byPath.values(), entries.claims)]);
      return problems;
    },
    untrusted: () => [
      ...held,
      ...Array.from(entries.byPath.values()).flatMap(({ file, admitted }) =>
        admitted?.isAdmitted === false ? [untrusted(file, admitted)] : [],
      ),
    ],
    apply(update) {
      const touched = entries.apply(update);
      for (const one of changedHeld(held, update.held ?? held)) touched.add(one.id ?? idOfFile(one.file));
      held = update.held ?? held;
      for (const id of changedIds(beside, update.problems ?? beside)) touched.add(id);
      beside = update.problems ?? beside;
      if (touched.size > 0) list = problems = undefined;
      return [...touched];
    },
  };
}

interface Entries {
  readonly byPath: ReadonlyMap<string, Entry>;
  /** Who names an id, whether or not it can be served. */
  readonly claims: ReadonlyMap<string, ReadonlySet<Entry>>;
  readonly served: Catalogue['served'];
  apply(update: Update): Set<string>;
}

function createEntries(): Entries {
  const byPath = new Map<string, Entry>();
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
    served(id) {
      const [first, second] = claims.get(id) ?? [];
      return second === undefined && hasWorkflow(first) ? first : undefined;
    },
    apply({ removed, read }) {
      const touched = new Set<string>();
      const gone = [...removed].map(remove).filter((entry) => entry !== undefined);
      for (const entry of gone) touch(entry, touched);
      const moved = new Map(gone.map((entry) => [entry.id, entry]));
      for (const next of read) {
        const known = remove(next.path);
        const entry = keepWorkflow(known ?? moved.get(next.id), next);
        put(entry);
        if (known !== undefined && saysTheSame(known, entry)) continue;
        if (known !== undefined) touch(known, touched);
        touch(entry, touched);
      }
      return touched;
    },
  };
}

function hasWorkflow(entry: Entry | undefined): entry is Entry & { readonly workflow: Workflow } {
  return entry?.workflow !== undefined;
}

function touch({ id, file, admitted, problem, partProblems = [] }: Entry, touched: Set<string>): void {
  if (id !== undefined) touched.add(id);
  if (admitted !== undefined) touched.add(admitted.id ?? idOfFile(file));
  if (problem !== undefined) touched.add(problem.id);
  for (const part of partProblems) touched.add(part.id);
}

/** A workflow whose content is what it was stays the same object: what others keep beside it stays good. */
function keepWorkflow(known: Entry | undefined, next: Entry): Entry {
  const workflow = known?.workflow;
  return workflow !== undefined && isSameWorkflow(workflow, next.workflow) ? { ...next, workflow } : next;
}

/** The texts and broken parts of an activity workflow are served too, and its digest does not cover them. */
function isSameWorkflow(a: Workflow, b: Workflow | undefined): boolean {
  return a.digest === b?.digest && (a.kind === 'steps' || isDeepStrictEqual(a, b));
}

function saysTheSame(a: Entry, b: Entry): boolean {
  return (
    a.id === b.id &&
    a.file === b.file &&
    a.workflow === b.workflow &&
    JSON.stringify([a.problem, a.partProblems, a.admitted]) ===
      JSON.stringify([b.problem, b.partProblems, b.admitted])
  );
}

function changedHeld(
  before: readonly UntrustedDefinition[],
  after: readonly UntrustedDefinition[],
): readonly UntrustedDefinition[] {
  const isIn = (all: readonly UntrustedDefinition[], one: UntrustedDefinition): boolean =>
    all.some(({ file }) => file === one.file);
  return [...before.filter((one) => !isIn(after, one)), ...after.filter((one) => !isIn(before, one))];
}

function changedIds(before: readonly DefinitionProblem[], after: readonly DefinitionProblem[]): string[] {
  if (before === after) return [];
  const known = new Set(before.map((problem) => JSON.stringify(problem)));
  const kept = new Set(after.map((problem) => JSON.stringify(problem)));
  const isChanged = (problem: DefinitionProblem): boolean => {
    const text = JSON.stringify(problem);
    return !known.has(text) || !kept.has(text);
  };
  return [...before, ...after].filter(isChanged).map(({ id }) => id);
}
