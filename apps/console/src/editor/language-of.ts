import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import type { Extension } from '@codemirror/state';
import type { DefinitionFile } from '../contract.ts';

/** What the editor knows of a notation; TOON and Markdown are plain text to it. */
export function languageOf(notation: DefinitionFile['notation']): Extension {
  if (notation === 'json') return json();
  return notation === 'yaml' ? yaml() : [];
}
