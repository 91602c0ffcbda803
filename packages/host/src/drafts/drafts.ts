import type { ReadDraft } from '@workflowlookup/core';

/** Names a file of a source. */
export interface DraftFile {
  /** Name of the source. */
  readonly source: string;
  /** Relative to it, `/` between the parts. */
  readonly file: string;
}

/** A text that is, or would be, a file of a source. */
export interface Draft extends DraftFile {
  readonly text: string;
}

/** A file as it is on the disk. */
export interface KeptDraft extends Draft {
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  readonly isWritable: boolean;
}

/** What is wrong with a draft, and the workflow that comes of it. */
export type DraftReading = ReadDraft;

/** What to put into a file. */
export interface TextToSave extends Draft {
  /** Of the text that was read before; null for a file that is not there yet. */
  readonly digest: string | null;
  /** Who saves it: a person trusts what they save. Left out, nothing is trusted by saving. */
  readonly person?: string;
}

/**
 * The files of the sources, served or not. Every method throws `WorkflowError`: FORBIDDEN for a path that leaves its
 * source or is none of a definition, RESOURCE_NOT_FOUND for a source or a file that is not there, STORAGE. What is read of a
 * draft is taken from the principal's share of the work, by default that of the user of this machine.
 */
export interface Drafts {
  read(file: DraftFile): Promise<KeptDraft>;
  /** Judges a text as if it were saved: one of an activity workflow beside the other files of its folder. */
  check(draft: Draft, principal?: string): Promise<DraftReading>;
  /**
   * Saves a text whole or not at all, and only where it would be served. Saves of one file take turns.
   *
   * @throws FORBIDDEN where the source may not be saved to, and with `data.reason` `not-scanned` for a path where no
   * definition is looked for; STATE with `data.digest` and `data.text` where the file is
   * another one than that which was read; INVALID_WORKFLOW with `data.problems`; TOO_COSTLY, BUSY
   */
  save(
    draft: TextToSave,
    principal?: string,
  ): Promise<{ readonly digest: string; readonly workflowId: string }>;
  /** The files of an activity workflow by the folder of its `workflow.*` file, sorted; that one first. */
  filesBeside(file: DraftFile): Promise<readonly string[]>;
}
