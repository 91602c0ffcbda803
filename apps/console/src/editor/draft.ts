import type { DefinitionText } from '../contract.ts';

/** A file being edited: as it was read, or for a new one empty and without a digest. */
export interface Draft extends Omit<DefinitionText, 'digest'> {
  readonly digest: string | null;
}
