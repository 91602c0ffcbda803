import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import type { Extension } from '@codemirror/state';
import type { DefinitionFile } from '../contract.ts';

/** What the editor knows of a notation; TOON and Markdown are plain text to it. */
export function languageOf(notation: DefinitionFile['notation']): Extension {
  if (notation === 'json') return json();
  return notation === 'yaml' ? yaml() : [];
}

/** The notation of a file, by its name. */
export function notationOf(file: string): DefinitionFile['notation'] {
  if (file.endsWith('.json')) return 'json';
  if (file.endsWith('.toon')) return 'toon';
  return file.endsWith('.md') ? 'markdown' : 'yaml';
}
