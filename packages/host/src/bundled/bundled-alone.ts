import { readdirSync } from 'node:fs';
import type { SourceOptions } from '../sources.ts';
import { bundledSource, sourcesOf } from '../sources.ts';
import type { BundledWorkflow } from './bundled-catalogue.ts';
import { bundledCatalogue } from './bundled-catalogue.ts';
import { bundledDirectory } from './bundled-directory.ts';

/**
 * What is served where no source but that of the bundled workflows has anything in it: then nothing has to be read, and
 * no engine loaded, to say so. `undefined` where there is more to look at.
 */
export function bundledAlone(options: SourceOptions): readonly BundledWorkflow[] | undefined {
  const sources = sourcesOf(options, bundledDirectory());
  const others = sources.filter(({ name }) => name !== bundledSource);
  if (!others.every(({ directory }) => isEmpty(directory))) return undefined;
  return others.length === sources.length ? [] : bundledCatalogue();
}

function isEmpty(directory: string): boolean {
  try {
    return readdirSync(directory).length === 0;
  } catch (error) {
    // What else keeps it from being looked at is for those to say who read it.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
