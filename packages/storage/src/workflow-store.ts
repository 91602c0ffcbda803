import type { ErrorCode, Issue, Severity, Workflow, WorkflowSummary } from '@workflowlookup/schema';

/** A file of a source that is not served, or that is served with a warning. */
export interface DefinitionProblem {
  /** The id in the file. Without one, the file's base name without its extension. */
  readonly id: string;
  /** Path relative to the source, with `/` between the parts. `.` is the source itself. */
  readonly file: string;
  /**
   * `error`: the file is not served, and a request for its id is refused with `code` unless the store serves that id
   * from another file. `warning`: nothing is refused.
   */
  readonly severity: Severity;
  readonly code: Extract<ErrorCode, 'INVALID_WORKFLOW' | 'UNSAFE_FILE' | 'SOURCE_UNREADABLE'>;
  readonly issues: readonly Issue[];
}

/** A definition that is not served because nobody trusted it. Only the digest of its text is known. */
export interface UntrustedDefinition {
  /** The id in the file. Absent if it is not well formed. */
  readonly id?: string;
  /** Path relative to the source. The author of the definition chose it, so agents do not see it. */
  readonly file: string;
  /** Name of the source, if several are combined. */
  readonly source?: string;
  /** The digest of its texts. Absent if they can't be read. */
  readonly digest?: string;
  /**
   * `untrusted`: nobody trusted this text. `changed`: somebody trusted an older version of it. `replaces`: a more
   * trusted source has the id, and nobody agreed to replace it.
   */
  readonly reason: 'changed' | 'replaces' | 'untrusted';
  /** For `replaces`: the name of the more trusted source. */
  readonly servedFrom?: string;
  /** The command with which a person trusts it. Default: `workflowlookup trust`. */
  readonly trustWith?: string;
}

/** The version of a served definition, and its source. */
export interface Provenance {
  readonly digest: string;
  /** Name of the source, if several are combined. */
  readonly source?: string;
}

/** Ids whose workflow or problem may have changed, or `'all'` if the store can't tell. */
export type WorkflowChange = readonly string[] | 'all';

/**
 * Provides workflows. It is read-only, and every adapter runs `describeWorkflowStore` of
 * `@workflowlookup/storage/testing`.
 */
export interface WorkflowStore {
  /** Returns every served workflow, sorted by id (code units). */
  list(): Promise<readonly WorkflowSummary[]>;
  /**
   * Returns the workflow with this id, or `undefined` if it can't be served. Returns the same object until the
   * definition changes.
   */
  get(id: string): Promise<Workflow | undefined>;
  /** Returns the problems of the source, sorted by id, then file. */
  problems(): Promise<readonly DefinitionProblem[]>;
  /**
   * Returns the definitions that are not served because nobody trusted them. A store that trusts everything does not
   * have this method.
   */
  untrusted?(): Promise<readonly UntrustedDefinition[]>;
  /**
   * Returns the version and the source of the definition that is served under an id. It avoids reading the definition
   * if possible.
   */
  provenance?(id: string): Promise<Provenance | undefined>;
  /**
   * Calls a listener after a change, when the store already returns the new data. Returns a function that stops it. The
   * listener must not throw.
   */
  watch(listener: (change: WorkflowChange) => void): () => void;
  /** Releases watchers and files, and stops calling listeners. Another `close` is allowed. */
  close(): Promise<void>;
}

/** Compares two strings by UTF-16 code units, which gives the same order on every machine and in every locale. */
export function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns the problems sorted by id, then file, as a frozen list. */
export function sortProblems(problems: Iterable<DefinitionProblem>): readonly DefinitionProblem[] {
  return Object.freeze(
    [...problems].toSorted((a, b) => byCodeUnits(a.id, b.id) || byCodeUnits(a.file, b.file)),
  );
}

/** Returns the summaries sorted by id, as a frozen list. */
export function sortSummaries(summaries: Iterable<WorkflowSummary>): readonly WorkflowSummary[] {
  return Object.freeze([...summaries].toSorted((a, b) => byCodeUnits(a.id, b.id)));
}

interface Cached<T> {
  /** Returns the value. Concurrent calls share one request. */
  get(): Promise<T>;
  /** Discards the value, so that the next call loads it again. */
  forget(): void;
}

/** Caches the result of `load` until it is discarded. Failures are not cached. */
export function cacheResult<T>(load: () => Promise<T>): Cached<T> {
  let kept: Promise<T> | undefined;

  function ask(): Promise<T> {
    const answer = load();
    answer.catch(() => {
      if (kept === answer) kept = undefined;
    });
    return answer;
  }

  return {
    get: async () => (kept ??= ask()),
    forget: () => (kept = undefined),
  };
}

interface Listeners<Change extends { readonly length: number } = WorkflowChange> {
  watch(listener: (change: Change) => void): () => void;
  /** Calls every listener, unless the change is empty. */
  emit(change: Change): void;
  clear(): void;
}

/** Makes an empty set of listeners. A function that is added twice is called twice. */
export function createListeners<
  Change extends { readonly length: number } = WorkflowChange,
>(): Listeners<Change> {
  const listeners = new Set<{ readonly call: (change: Change) => void }>();
  return {
    watch(listener) {
      const entry = { call: listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    emit(change) {
      if (change.length === 0) return;
      for (const listener of listeners) listener.call(change);
    },
    clear: () => listeners.clear(),
  };
}

/**
 * Makes a store that caches the answers of another one: the list, the problems and each workflow. Concurrent calls
 * share one request. Failures are not cached, and neither are unknown ids, so requests for made-up ids do not fill the
 * memory. A change in the other store discards the answers that it affects. Closing this store closes both.
 *
 * @example
 * ```ts
 * const store = createCachedStore(storeOverNetwork);
 * ```
 */
export function createCachedStore(store: WorkflowStore): WorkflowStore {
  const list = cacheResult<readonly WorkflowSummary[]>(() => store.list());
  const problems = cacheResult<readonly DefinitionProblem[]>(() => store.problems());
  const untrusted = cacheResult<readonly UntrustedDefinition[]>(
    async () => (await store.untrusted?.()) ?? [],
  );
  const workflows = new Map<string, Promise<Workflow | undefined>>();
  const listeners = createListeners();

  const stop = store.watch((change) => {
    list.forget();
    problems.forget();
    untrusted.forget();
    if (change === 'all') workflows.clear();
    else for (const id of change) workflows.delete(id);
    listeners.emit(change);
  });

  function ask(id: string): Promise<Workflow | undefined> {
    const answer = store.get(id);
    const forget = (): void => {
      if (workflows.get(id) === answer) workflows.delete(id);
    };
    workflows.set(id, answer);
    void answer.then((workflow) => workflow ?? forget(), forget);
    return answer;
  }

  return {
    list: list.get,
    get: async (id) => workflows.get(id) ?? ask(id),
    problems: problems.get,
    untrusted: untrusted.get,
    provenance: async (id) => store.provenance?.(id),
    watch: listeners.watch,
    async close() {
      stop();
      listeners.clear();
      await store.close();
    },
  };
}
