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
