import type { DefinitionFile } from '@workflowlookup/console/contract';

/** A file of a definition, with what it is written in by its name. */
export function definitionFile(file: string): DefinitionFile {
  return { file, notation: notationOf(file) };
}

function notationOf(file: string): DefinitionFile['notation'] {
  if (file.endsWith('.json')) return 'json';
  if (file.endsWith('.toon')) return 'toon';
  return file.endsWith('.md') ? 'markdown' : 'yaml';
}
