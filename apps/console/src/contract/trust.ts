import type { DefinitionFile } from './workflows.ts';

/** A definition of the project that agents are not served, because no person has trusted it. */
export interface UntrustedEntry {
  /** Only for somebody who may trust it, because the file says it. */
  readonly id?: string;
  readonly source: string;
  /** `replaces`: a more trusted source has a workflow of this id. */
  readonly reason: 'changed' | 'replaces' | 'untrusted';
  /** Relative to its source; only for somebody who may trust it. */
  readonly file?: string;
}

/** `GET /console/api/untrusted`. */
export interface UntrustedList {
  readonly definitions: readonly UntrustedEntry[];
  /** Whether whoever is signed in may look at them and trust them: the scopes `write` and `checkpoints:respond`. */
  readonly mayTrust: boolean;
}

/** A place in a file; line and column from 1. */
export interface ReviewPlace {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** How the checkpoints of a definition differ from those of another one. */
export interface CheckpointChanges {
  /** Checkpoints it does not have. */
  readonly missing: readonly string[];
  /** Checkpoints that need a person there and not here. */
  readonly weaker: readonly string[];
  readonly added: readonly string[];
}

/**
 * `GET /console/api/untrusted/review?source=NAME&file=PATH`: what a person looks at before they trust a definition. Hidden
 * characters in every text are written out. 403 `FORBIDDEN`; 404 where it can't be read.
 */
export interface DefinitionReview {
  readonly source: string;
  readonly file: string;
  /** Of exactly the texts that are shown. */
  readonly digest: string;
  readonly id?: string;
  readonly title?: string;
  /** `before` is the text that was trusted last. */
  readonly files: readonly (DefinitionFile & { readonly text: string; readonly before?: string })[];
  readonly hidden: readonly ReviewPlace[];
  readonly commands: readonly ReviewPlace[];
  readonly problems: readonly ReviewPlace[];
  readonly checkpoints: readonly {
    readonly id: string;
    readonly message: string;
    readonly needsPerson: boolean;
  }[];
  /** Compared with the version that was trusted last; absent where the checkpoints are the same. */
  readonly since?: CheckpointChanges;
  readonly replaces?: CheckpointChanges & { readonly source: string; readonly id: string };
  /** Without errors and hidden characters. */
  readonly isTrustable: boolean;
}

/** `POST /console/api/trust`: trusts the texts of a review. 409 where the file is another one by now. */
export interface TrustRequest {
  readonly source: string;
  readonly file: string;
  /** Of the review. */
  readonly digest: string;
  /** The id of the workflow it replaces, where it replaces one. */
  readonly replaces?: string;
}

/** A definition that was trusted. */
export interface TrustGiven {
  readonly id: string;
}
