import type { ErrorCode, Issue, Severity, Workflow, WorkflowSummary } from '@workflowlookup/schema';

/** A file of a source that could not be served, or is served with something wrong in it. */
export interface DefinitionProblem {
  /** The id the file names; where it names none, the file's base name without its extension. */
  readonly id: string;
  /** Path relative to its source, `/` between the parts; `.` is the source itself. */
  readonly file: string;
  /**
   * `error`: the file is not served, and asking for its id is refused with `code` unless the store serves
   * that id from another file. `warning`: nothing is refused.
   */
  readonly severity: Severity;
  readonly code: Extract<ErrorCode, 'INVALID_WORKFLOW' | 'SECURITY' | 'STORAGE'>;
  readonly issues: readonly Issue[];
}

/** Ids whose workflow or problem may have changed; `'all'` when the store can't say which. */
export type WorkflowChange = readonly string[] | 'all';

/** Where workflows come from. Read only; every adapter runs `describeWorkflowStore` of `@workflowlookup/storage/testing`. */
export interface WorkflowStore {
  /** Every workflow served, sorted by id (code units). */
  list(): Promise<readonly WorkflowSummary[]>;
  /** The workflow with this id, `undefined` when there is none that can be served. The same object until the definition changes. */
  get(id: string): Promise<Workflow | undefined>;
  /** What is wrong with the source, sorted by id, then file. */
  problems(): Promise<readonly DefinitionProblem[]>;
  /** Calls back after a change, when the store already answers with it; returns the way to stop it. The listener must not throw. */
  watch(listener: (change: WorkflowChange) => void): () => void;
  /** Releases watchers and files, and calls no listener any more. A closed store may be closed again. */
  close(): Promise<void>;
}
