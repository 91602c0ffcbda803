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

/** A definition that is not served because nobody trusted it; of its text nothing is known but its digest. */
export interface UntrustedDefinition {
  /** The id in the file; absent if it is not well formed. */
  readonly id?: string;
  /** Path relative to its source. It comes from whoever wrote the definition, so agents are not shown it. */
  readonly file: string;
  /** Name of the source, where several are served as one. */
  readonly source?: string;
  /** Over the texts of the definition; absent when they can't be read. */
  readonly digest?: string;
  /**
   * `untrusted`: nobody trusted this text. `changed`: somebody trusted an older version of it. `replaces`: a more trusted
   * source has the id, and nobody agreed to replace it.
   */
  readonly reason: 'changed' | 'replaces' | 'untrusted';
  /** Of `replaces`: the name of the more trusted source. */
  readonly servedFrom?: string;
  /** The command by which a person trusts it; default `workflowlookup trust`. */
  readonly trustWith?: string;
}

/** Which definition is served, and from where. */
export interface Provenance {
  readonly digest: string;
  /** Name of the source, where several are served as one. */
  readonly source?: string;
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
  /** What is not served because nobody trusted it; a store that trusts everything leaves this out. */
  untrusted?(): Promise<readonly UntrustedDefinition[]>;
  /** Which definition is served under an id, and from which source, without reading it where that can be avoided. */
  provenance?(id: string): Promise<Provenance | undefined>;
  /** Calls back after a change, when the store already answers with it; returns the way to stop it. The listener must not throw. */
  watch(listener: (change: WorkflowChange) => void): () => void;
  /** Releases watchers and files, and calls no listener any more. A closed store may be closed again. */
  close(): Promise<void>;
}
