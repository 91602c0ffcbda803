import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Folder } from '@workflowlookup/schema';
import { isWorkflowId } from '@workflowlookup/schema';
import type { UntrustedDefinition } from '../workflow-store.ts';
import { byCodeUnits } from '../utilities.ts';
import type { FileFault } from './file-problem.ts';
import { idOfFile } from './paths.ts';

/** The texts of a definition that a person may trust: one file, or all files in the folder of an activity workflow. */
export interface DefinitionTexts {
  /** Path of the definition, or of the workflow file in its folder, relative to the source. */
  readonly file: string;
  /** Texts by path in the folder. A definition in a single file has one entry under its file name. */
  readonly texts: Folder;
  /** The digest of the texts, as computed by {@link digestOfTexts}. */
  readonly digest: string;
  /**
   * The files that can't be read, by path in the folder, with the reason. A definition with such files is never
   * admitted.
   */
  readonly unreadable?: ReadonlyMap<string, Pick<FileFault, 'finding' | 'message'>>;
}

/**
 * Decides which definitions of a source are read at all. A definition that is not admitted is never parsed, listed or
 * served: the store knows only its digest.
 */
export interface Admission {
  /**
   * Returns whether a definition may be read. `digest` is absent for a file that can't be read and for a problem with a
   * file or folder as a whole. An activity workflow is checked a second time after it was read, with `borrowed`: the
   * digest of the texts that it takes from other workflows.
   */
  admits(definition: {
    readonly file: string;
    readonly digest?: string;
    readonly borrowed?: string;
  }): boolean;
  /** Returns a value that changes whenever an answer of `admits` may have changed. Called every 500 ms. */
  stamp(): string;
  /**
   * The folder that the source must be in once symbolic links are resolved. If it is elsewhere, nothing in it is
   * opened.
   */
  readonly within: string;
}

/** The decision of an {@link Admission} about one definition. */
export interface Decision {
  readonly isAdmitted: boolean;
  /** Absent when the definition has no readable text. */
  readonly digest?: string;
  /** The id from the text or the file name. Absent if it is not well formed. */
  readonly id?: string;
}

/** Returns `sha256:` and 64 hex digits over the names and texts of a definition's files, in any order. */
export function digestOfTexts(texts: Folder): string {
  const sorted = [...texts].toSorted(([a], [b]) => byCodeUnits(a, b));
  return `sha256:${createHash('sha256').update(JSON.stringify(sorted)).digest('hex')}`;
}

/** Asks an admission about a definition before its texts are parsed. */
export function admitTexts(admission: Admission, file: string, texts: Folder): Decision {
  const digest = digestOfTexts(texts);
  const isAdmitted = admission.admits({ file, digest });
  return { isAdmitted, digest, ...guessId(file, texts.get(posix.basename(file))) };
}

export function admitWithoutText(admission: Admission, file: string): Decision {
  return { isAdmitted: admission.admits({ file }), ...guessId(file, undefined) };
}

export function untrustedEntry(file: string, { digest, id }: Decision): UntrustedDefinition {
  return {
    file,
    reason: 'untrusted',
    ...(digest !== undefined && { digest }),
    ...(id !== undefined && { id }),
  };
}

/**
 * Finds the id in an untrusted text without parsing it, because a hostile text could exploit a parser. The id only
 * tells people which workflow was not served; no decision depends on it.
 */
function guessId(file: string, text: string | undefined): { readonly id?: string } {
  const [, spelled] =
    /^(?:\uFEFF?\s*\{?\s*)?["']?id["']?\s*:\s*["']?([a-z0-9.-]{3,64})(?![a-z0-9.-])/m.exec(text ?? '') ?? [];
  const name = posix.basename(file).startsWith('workflow.')
    ? posix.basename(posix.dirname(file))
    : idOfFile(file);
  const id = spelled ?? name;
  return isWorkflowId(id) ? { id } : {};
}
