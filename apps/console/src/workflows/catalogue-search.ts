import { readText } from '../api/read-text.ts';

/** What the catalogue is narrowed to, as its address has it. */
export interface CatalogueSearch {
  readonly text?: string;
  readonly source?: string;
}

/** The filters of an address. */
export function readCatalogueSearch({ text, source }: Readonly<Record<string, unknown>>): CatalogueSearch {
  return readText({ text, source });
}
