import type { Outcome } from './read-definition-file.ts';

/** A definition, one file or the folder of an activity workflow, and what became of it. */
export interface Entry extends Outcome {
  /** Real path, which never leaves this folder of the code. */
  readonly path: string;
  /** The file, or the workflow file in the folder. */
  readonly file: string;
  /** As `signatureOf` says when it was read; `''` means that it has to be read again to be sure. */
  readonly signature: string;
}
