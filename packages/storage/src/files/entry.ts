import type { Outcome } from './read-definition-file.ts';

/** A definition file and what became of it. */
export interface Entry extends Outcome {
  /** Real path, which never leaves this folder of the code. */
  readonly path: string;
  readonly file: string;
  /** As `signatureOf` says when it was read; `''` means that it has to be read again to be sure. */
  readonly signature: string;
}
