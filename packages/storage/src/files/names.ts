import { posix } from 'node:path';
import type { DefinitionText } from '@workflowlookup/schema';

/** Whether a file of this name is read as a definition. */
export function isDefinitionName(name: string): boolean {
  return /\.(json|ya?ml)$/.test(name);
}

/** Whether a file of this name makes its folder one activity workflow. */
export function isActivityWorkflowName(name: string): boolean {
  return /^workflow\.(json|ya?ml|toon)$/.test(name);
}

/** Whether a file or folder of this name is left out of a source. */
export function isLeftOut(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** The format a definition file is written in, by its name. */
export function formatOf(file: string): DefinitionText['format'] {
  return file.endsWith('.json') ? 'json' : 'yaml';
}

/** The id that stands for a file whose own id is not known: its base name without the extension. */
export function idOfFile(file: string): string {
  return posix.parse(file).name;
}

/** A path below a folder, both relative to the source; `.` is the source itself. */
export function below(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`;
}
