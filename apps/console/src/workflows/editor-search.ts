import { readText } from '../api/read-text.ts';

/** Which file is edited: one of a source, or where `file` is absent a new one. */
export interface EditorSearch {
  readonly source?: string;
  readonly file?: string;
}

/** The file of an address. */
export function readEditorSearch({ source, file }: Readonly<Record<string, unknown>>): EditorSearch {
  return readText({ source, file });
}
