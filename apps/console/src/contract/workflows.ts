import type { DefinitionProblem, Outline, Picture } from '@workflowlookup/core';
import type { Issue, WorkflowSummary } from '@workflowlookup/schema';

/** A workflow that is served. */
export interface CatalogueEntry extends WorkflowSummary {
  readonly kind: 'steps' | 'activities';
  /** The source it is served from. */
  readonly source: string;
  /** Sources below that have it too. */
  readonly overrides: readonly string[];
}

/** Something wrong with a file of a source: each issue has its line and column. */
export interface CatalogueProblem extends DefinitionProblem {
  readonly source: string;
}

/** A directory definitions come from. */
export interface CatalogueSource {
  readonly name: string;
  /** Whether {@link SaveRequest} may write to it. */
  readonly isWritable: boolean;
  readonly workflows: number;
  /** Only on this machine. */
  readonly directory?: string;
}

/** `GET /console/api/workflows`. */
export interface Catalogue {
  /** Sorted by id. */
  readonly workflows: readonly CatalogueEntry[];
  readonly problems: readonly CatalogueProblem[];
  /** Lowest precedence first. */
  readonly sources: readonly CatalogueSource[];
}

/** A file of a definition. */
export interface DefinitionFile {
  /** Relative to its source, `/` between the parts. */
  readonly file: string;
  readonly notation: 'json' | 'yaml' | 'toon' | 'markdown';
}

/** `GET /console/api/workflows/:id`. 404 `WORKFLOW_NOT_FOUND`. */
export interface WorkflowDetail {
  readonly source: string;
  readonly outline: Outline;
  readonly graph: Picture;
  /** One for a step workflow; of an activity workflow its folder, `workflow.*` first. */
  readonly files: readonly DefinitionFile[];
  readonly isWritable: boolean;
  readonly problems: readonly CatalogueProblem[];
}

/**
 * `GET /console/api/text?source=NAME&file=PATH` returns a file of a definition. The status is 404 if there is no such file. It is
 * 403 if the file isn't part of a definition, or if that definition isn't served and the signed-in user lacks `write` or
 * `checkpoints:respond`.
 */
export interface DefinitionText extends DefinitionFile {
  readonly source: string;
  readonly text: string;
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  readonly isWritable: boolean;
}

/** `POST /console/api/check`: judges a text as if it were saved. */
export interface CheckRequest {
  readonly source: string;
  /** Where it is, or would be; of a file of a folder the other files count as they are on the disk. */
  readonly file: string;
  readonly text: string;
}

/** What is wrong with a text, and the workflow it makes where it makes one. */
export interface Check {
  /** In the order of the text; warnings too. `edits` are what puts one right. */
  readonly problems: readonly Issue[];
  /** Whether it could be saved: no error that keeps it from being served. */
  readonly isUsable: boolean;
  readonly outline?: Outline;
  readonly graph?: Picture;
}

/**
 * `PUT /console/api/text`: saves a file to a source configured as writable. 403 `FORBIDDEN` where it is not or without
 * `may.save`; 409 `TextConflict`; 422 `InvalidText`.
 */
export interface SaveRequest extends CheckRequest {
  /** Of the text that was read; null for a new file. */
  readonly digest: string | null;
}

/** A file that was saved. */
export interface Saved {
  readonly digest: string;
  /** Id of the workflow it makes. */
  readonly workflowId: string;
}
