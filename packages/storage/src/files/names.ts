import { posix } from 'node:path';
import type { DefinitionText } from '@workflowlookup/schema';
import { writeOutHidden } from '@workflowlookup/schema';

/** Whether a file of this name is read as a definition; tests of workflows lie beside them. */
export function isDefinitionName(name: string): boolean {
  return /\.(json|ya?ml)$/.test(name) && !isTestsName(name);
}

/** Whether a file of this name holds tests of a workflow. */
function isTestsName(name: string): boolean {
  return /\.test\.(json|ya?ml)$/.test(name);
}

/** Whether a file of this name makes its folder one activity workflow. */
export function isActivityWorkflowName(name: string): boolean {
  return /^workflow\.(json|ya?ml|toon)$/.test(name);
}

/** The one of several `workflow.*` files that is used. */
export function mainName(names: readonly string[]): string | undefined {
  return ['workflow.yaml', 'workflow.yml', 'workflow.json', 'workflow.toon'].find((name) =>
    names.includes(name),
  );
}

/** Whether a folder of this name in an activity workflow holds parts of it. */
export function isPartFolder(name: string): boolean {
  return ['activities', 'skills', 'resources'].includes(name);
}

/** Whether a file of this name in such a folder is a part. */
export function isPartName(folder: string, name: string): boolean {
  if (isLeftOut(name) || isTestsName(name) || /^readme\./i.test(name)) return false;
  return /\.(json|ya?ml|toon)$/.test(name) || (folder === 'resources' && name.endsWith('.md'));
}

/** Whether something of this name, in one of the folders of an activity workflow, may be of consequence. */
export function mayBePart(name: string): boolean {
  return isPartFolder(name) || isPartName('resources', name);
}

/** Whether a file or folder of this name is left out of a source. */
export function isLeftOut(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** A name as everybody may be shown it: characters that nobody sees, and line ends, are written out. */
export function visibleName(name: string): string {
  const spelled = (char: string): string => `\\u{${char.charCodeAt(0).toString(16)}}`;
  return writeOutHidden(name).replaceAll(/[\t\n\r]/g, spelled);
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
