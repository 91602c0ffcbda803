import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Folder } from '@workflowlookup/schema';
import { isWorkflowId } from '@workflowlookup/schema';
import type { UntrustedDefinition } from '../workflow-store.ts';
import { byCodeUnits } from '../by-code-units.ts';
import type { FileFault } from './file-problem.ts';
import { idOfFile } from './names.ts';

/** The texts of a definition that a person may trust: one file, or the files of the folder of an activity workflow. */
export interface DefinitionTexts {
  /** The definition, or the workflow file in its folder, relative to the source. */
  readonly file: string;
  /** By path in the folder; a file alone goes by its own name. */
  readonly texts: Folder;
  /** As {@link digestOfTexts} says. */
  readonly digest: string;
  /** Files of it that can't be read, by path in the folder, and why: with any of them no digest is admitted. */
  readonly unreadable?: ReadonlyMap<string, Pick<FileFault, 'finding' | 'message'>>;
}

/**
 * Decides which definitions of a source are read at all. The text of a definition that is not admitted is never
 * parsed, listed or served: the store knows its digest and nothing else of it.
 */
export interface Admission {
  /**
   * `digest` is absent for a file whose text can't be read, and for a problem with a file or folder as a whole. An
   * activity workflow is asked about once more when it was read, with `borrowed`: the digest of what it takes from others.
   */
  admits(definition: {
    readonly file: string;
    readonly digest?: string;
    readonly borrowed?: string;
  }): boolean;
  /** Changes whenever an answer of `admits` may have changed; asked every 500 ms. */
  stamp(): string;
  /** Folder that the source must lie in after symbolic links are resolved; otherwise nothing in it is opened. */
  readonly within: string;
}

/** What an admission said of the texts of a definition. */
export interface Admitted {
  readonly isAdmitted: boolean;
  /** Absent when there was no text to judge. */
  readonly digest?: string;
  /** The id from the text or the file name; absent if it is not well formed. */
  readonly id?: string;
}

/** `sha256:` and 64 hex digits over the names and texts of the files of a definition, whatever their order. */
export function digestOfTexts(texts: Folder): string {
  const sorted = [...texts].toSorted(([a], [b]) => byCodeUnits(a, b));
  return `sha256:${createHash('sha256').update(JSON.stringify(sorted)).digest('hex')}`;
}

/** Asks an admission about the texts of a definition before anything reads them. */
export function judgeTexts(admission: Admission, file: string, texts: Folder): Admitted {
  const digest = digestOfTexts(texts);
  const isAdmitted = admission.admits({ file, digest });
  return { isAdmitted, digest, ...idAtAGlance(file, texts.get(posix.basename(file))) };
}

/** The same for a definition that has no text. */
export function judgeFault(admission: Admission, file: string): Admitted {
  return { isAdmitted: admission.admits({ file }), ...idAtAGlance(file, undefined) };
}

/** The entry of a definition that was not admitted, as lists show it. */
export function untrusted(file: string, { digest, id }: Admitted): UntrustedDefinition {
  return {
    file,
    reason: 'untrusted',
    ...(digest !== undefined && { digest }),
    ...(id !== undefined && { id }),
  };
}

/**
 * The id of a text that is not trusted, without parsing it: a parser is code that a hostile text could work on. It
 * tells people which workflow is held back, and decides nothing.
 */
function idAtAGlance(file: string, text: string | undefined): { readonly id?: string } {
  const [, spelled] =
    /^(?:\uFEFF?\s*\{?\s*)?["']?id["']?\s*:\s*["']?([a-z0-9.-]{3,64})(?![a-z0-9.-])/m.exec(text ?? '') ?? [];
  const name = posix.basename(file).startsWith('workflow.')
    ? posix.basename(posix.dirname(file))
    : idOfFile(file);
  const id = spelled ?? name;
  return isWorkflowId(id) ? { id } : {};
}
